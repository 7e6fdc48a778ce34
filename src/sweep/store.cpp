#include "sweep/store.h"

#include "dsnn/util/error.h"

#include "sweep/space_json.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <sstream>

namespace dsnn {
namespace {

constexpr const char* kBracket = "bracket";
constexpr const char* kTrials = "trials";
constexpr const char* kClock = "clock";  // see join_clock
const std::string kCommit = "commit ";   // prefix of the name of a fact

std::string lock_name(const std::string& owner) { return fmt::format("worker-{}.lock", owner); }

std::filesystem::path file_of(const std::filesystem::path& folder, bool read_only) {
  const std::filesystem::path path = folder / "sweep.sqlite";
  if (read_only && !std::filesystem::exists(path)) {
    throw Error(fmt::format("{}: not a sweep (no sweep.sqlite)", folder.string()));
  }
  return path;
}

/// The difference of two facts: for a space or a configuration, the first parameter that differs.
std::string difference_text(const std::string& name, const std::string& there,
                            const std::string& here) {
  if (name == "space") return space_difference(space_from_json(there), space_from_json(here));
  if (name != "configuration") return fmt::format("'{}', now '{}'", there, here);
  std::istringstream first(there), second(here);
  std::string a, b;
  do {
    a.clear(), b.clear();
    first >> a, second >> b;
  } while (a == b && !a.empty());
  return fmt::format("'{}', now '{}'", a, b);
}

}  // namespace

Outcomes outcomes_of(const std::vector<TrainingRecord>& records) {
  Outcomes outcomes;
  for (const TrainingRecord& record : records) {
    outcomes[record.training] =
        record.result.failure.empty() ? record.result.validation.value() : -1;
  }
  return outcomes;
}

SweepStore::SweepStore(const std::filesystem::path& folder, bool read_only)
    : folder_(folder), database_(file_of(folder, read_only), read_only) {
  if (read_only) return;
  database_.run("PRAGMA synchronous = NORMAL");
  database_.transaction([&] {
    for (const char* table :
         {"CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT)",
          "CREATE TABLE IF NOT EXISTS trials (trial INTEGER PRIMARY KEY, config TEXT)",
          "CREATE TABLE IF NOT EXISTS taken (trial INTEGER, epochs INTEGER, split INTEGER, "
          "owner TEXT, PRIMARY KEY (trial, epochs, split))",
          "CREATE TABLE IF NOT EXISTS results (trial INTEGER, epochs INTEGER, split INTEGER, "
          "validation_accuracy REAL, validation_loss REAL, test_accuracy REAL, best_epoch INTEGER, "
          "trained_epochs INTEGER, seconds REAL, finished_at REAL, failure TEXT, "
          "PRIMARY KEY (trial, epochs, split))"}) {
      database_.run(table);
    }
  });
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  owner_ = fmt::format("{}-{}", ::getpid(),
                       std::chrono::duration_cast<std::chrono::microseconds>(now).count());
  const std::string path = (folder / lock_name(owner_)).string();
  lock_ = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    if (lock_ >= 0) ::close(lock_);
    throw Error(fmt::format("cannot lock {}", path));
  }
}

SweepStore::~SweepStore() {
  if (lock_ < 0) return;
  try {
    database_.run("DELETE FROM taken WHERE owner = ?", {owner_});
  } catch (const Error&) {  // the next process releases them
  }
  std::error_code ignored;
  std::filesystem::remove(folder_ / lock_name(owner_), ignored);
  ::close(lock_);
}

void SweepStore::begin(const Facts& facts, bool resume) {
  database_.transaction([&] {
    std::map<std::string, std::string> known;
    database_.run("SELECT name, value FROM facts", {},
                  [&](const Database::Row& row) { known[row.text(0)] = row.text(1); });
    if (known.empty()) {
      for (const auto& [name, value] : facts) {
        database_.run("INSERT INTO facts VALUES (?, ?)", {name, value});
      }
      return;
    }
    if (!resume) {
      throw Error(
          fmt::format("{} contains a sweep already; continue it with --resume", folder_.string()));
    }
    for (const auto& [name, value] : facts) {
      if (known[name] == value) continue;
      throw Error(fmt::format("{} contains a sweep with a different {}: {}", folder_.string(), name,
                              difference_text(name, known[name], value)));
    }
  });
}

void SweepStore::begin_bracket(std::int64_t size) { add_fact(kBracket, fmt::format("{}", size)); }

std::int64_t SweepStore::bracket() { return integer_fact(kBracket).value_or(0); }

void SweepStore::ask_for(std::int64_t num_trials) {
  database_.transaction([&] {
    const std::int64_t most = std::max(num_trials, this->num_trials().value_or(0));
    database_.run("INSERT OR REPLACE INTO facts VALUES (?, ?)", {kTrials, fmt::format("{}", most)});
  });
}

std::optional<std::int64_t> SweepStore::num_trials() { return integer_fact(kTrials); }

std::optional<std::int64_t> SweepStore::integer_fact(const std::string& name) {
  const std::string text = fact(name);
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

bool SweepStore::has_begun() {
  bool has_table = false;
  database_.run("SELECT 1 FROM sqlite_master WHERE name = 'facts'", {},
                [&](const Database::Row&) { has_table = true; });
  return has_table && !fact(kBracket).empty();
}

std::string SweepStore::fact(const std::string& name) {
  std::string value;
  database_.run("SELECT value FROM facts WHERE name = ?", {name},
                [&](const Database::Row& row) { value = row.text(0); });
  return value;
}

void SweepStore::add_fact(const std::string& name, const std::string& value) {
  database_.run("INSERT OR IGNORE INTO facts VALUES (?, ?)", {name, value});
}

void SweepStore::add_commit(const std::string& commit) { add_fact(kCommit + commit, ""); }

std::vector<std::string> SweepStore::commits() {
  std::vector<std::string> commits;
  database_.run("SELECT name FROM facts ORDER BY name", {}, [&](const Database::Row& row) {
    if (row.text(0).starts_with(kCommit)) commits.push_back(row.text(0).substr(kCommit.size()));
  });
  return commits;
}

void SweepStore::free_orphans() {
  std::vector<std::string> owners;
  database_.run("SELECT DISTINCT owner FROM taken WHERE owner <> ?", {owner_},
                [&](const Database::Row& row) { owners.push_back(row.text(0)); });
  for (const std::string& owner : owners) {
    const std::filesystem::path path = folder_ / lock_name(owner);
    const int lock = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    // Left by a killed process, or deleted; other failures tell nothing about the owner.
    const bool is_dead = lock >= 0 ? ::flock(lock, LOCK_EX | LOCK_NB) == 0 : errno == ENOENT;
    if (is_dead) {
      database_.run("DELETE FROM taken WHERE owner = ?", {owner});
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
    }
    if (lock >= 0) ::close(lock);
  }
}

std::optional<Training> SweepStore::take(const Choose& choose,
                                         std::vector<TrainingRecord>& records) {
  std::optional<Training> result;
  database_.transaction([&] {
    free_orphans();
    records = this->records();
    std::set<Training> taken;
    database_.run("SELECT trial, epochs, split FROM taken", {}, [&](const Database::Row& row) {
      taken.insert({row.integer(0), row.integer(1), static_cast<int>(row.integer(2))});
    });
    const std::vector<Training> offered = choose(outcomes_of(records), taken);
    if (offered.empty()) return;
    result = offered.front();
    database_.run("INSERT INTO taken VALUES (?, ?, ?, ?)",
                  {result->trial, result->epochs, std::int64_t{result->split}, owner_});
  });
  return result;
}

double SweepStore::join_clock() {
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  double zero = now;  // the start of the clock, if it had never been stopped
  database_.transaction([&] {
    free_orphans();
    bool is_running = false;
    database_.run("SELECT 1 FROM taken LIMIT 1", {},
                  [&](const Database::Row&) { is_running = true; });
    if (is_running && !fact(kClock).empty()) {
      zero = std::stod(fact(kClock));
      return;
    }
    database_.run("SELECT MAX(finished_at) FROM results", {}, [&](const Database::Row& row) {
      if (!std::isnan(row.number(0))) zero = now - row.number(0);
    });
    database_.run("INSERT OR REPLACE INTO facts VALUES (?, ?)", {kClock, fmt::format("{}", zero)});
  });
  return std::max(0.0, now - zero);
}

void SweepStore::finish(const TrainingRecord& record) {
  const Training& training = record.training;
  const SplitResult& result = record.result;
  database_.transaction([&] {
    database_.run(
        "INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        {training.trial, training.epochs, std::int64_t{training.split}, result.validation.value(),
         result.validation.loss, result.test.value(), result.best_epoch, result.epochs,
         result.seconds, record.finished_at, result.failure});
    database_.run("DELETE FROM taken WHERE trial = ? AND epochs = ? AND split = ?",
                  {training.trial, training.epochs, std::int64_t{training.split}});
  });
}

std::string SweepStore::add_trial(std::int64_t trial, const std::string& toml) {
  std::string kept;
  database_.run("INSERT OR IGNORE INTO trials VALUES (?, ?)", {trial, toml});
  database_.run("SELECT config FROM trials WHERE trial = ?", {trial},
                [&](const Database::Row& row) { kept = row.text(0); });
  return kept;
}

std::map<std::int64_t, std::string> SweepStore::trials() {
  std::map<std::int64_t, std::string> all;
  database_.run("SELECT trial, config FROM trials", {},
                [&](const Database::Row& row) { all[row.integer(0)] = row.text(1); });
  return all;
}

std::vector<TrainingRecord> SweepStore::records() {
  std::vector<TrainingRecord> all;
  database_.run(
      "SELECT trial, epochs, split, validation_accuracy, validation_loss, test_accuracy, "
      "best_epoch, trained_epochs, seconds, finished_at, failure FROM results ORDER BY "
      "trial, epochs, split",
      {}, [&](const Database::Row& row) {
        TrainingRecord record;
        record.training = {row.integer(0), row.integer(1), static_cast<int>(row.integer(2))};
        record.result.split = record.training.split;
        record.result.validation.accuracy = row.number(3);
        record.result.validation.loss = row.number(4);
        record.result.test.accuracy = row.number(5);
        record.result.best_epoch = row.integer(6);
        record.result.epochs = row.integer(7);
        record.result.seconds = row.number(8);
        record.finished_at = row.number(9);
        record.result.failure = row.text(10);
        all.push_back(std::move(record));
      });
  return all;
}

}  // namespace dsnn
