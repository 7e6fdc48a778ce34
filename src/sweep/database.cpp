#include "sweep/database.h"

#include "dsnn/util/error.h"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <sqlite3.h>
#include <type_traits>

namespace dsnn {
namespace {

// Other processes may be writing; each needs milliseconds.
constexpr int kPatienceMilliseconds = 60'000;

}  // namespace

Database::Database(const std::filesystem::path& path, bool read_only) : path_(path.string()) {
  // A reader may also have to roll back the transaction of a killed writer. Without write
  // permission, SQLite opens the file read-only by itself.
  const int flags = SQLITE_OPEN_READWRITE | (read_only ? 0 : SQLITE_OPEN_CREATE);
  if (sqlite3_open_v2(path_.c_str(), &handle_, flags, nullptr) != SQLITE_OK) {
    const std::string why = handle_ == nullptr ? "out of memory" : sqlite3_errmsg(handle_);
    sqlite3_close(handle_);
    throw Error(fmt::format("cannot open {}: {}", path_, why));
  }
  sqlite3_busy_timeout(handle_, kPatienceMilliseconds);
  sqlite3_extended_result_codes(handle_, 1);
}

Database::~Database() { sqlite3_close(handle_); }

void Database::fail() const { throw Error(fmt::format("{}: {}", path_, sqlite3_errmsg(handle_))); }

std::int64_t Database::Row::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double Database::Row::number(int column) const {
  // SQLite stores NaN as NULL.
  const bool is_null = sqlite3_column_type(statement_, column) == SQLITE_NULL;
  return is_null ? std::numeric_limits<double>::quiet_NaN()
                 : sqlite3_column_double(statement_, column);
}

std::string Database::Row::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return text == nullptr
             ? ""
             : std::string(text,
                           static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

void Database::run(const std::string& statement, const std::vector<Field>& values,
                   const std::function<void(const Row&)>& visit) {
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(handle_, statement.c_str(), -1, &prepared, nullptr) != SQLITE_OK) fail();
  // Finalised on every exit; the error is then in the handle.
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> owner(prepared, sqlite3_finalize);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int place = static_cast<int>(i) + 1;
    const int code = std::visit(
        [&](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, std::int64_t>) {
            return sqlite3_bind_int64(prepared, place, value);
          } else if constexpr (std::is_same_v<T, double>) {
            return sqlite3_bind_double(prepared, place, value);
          } else {
            return sqlite3_bind_text(prepared, place, value.c_str(), static_cast<int>(value.size()),
                                     SQLITE_TRANSIENT);
          }
        },
        values[i]);
    if (code != SQLITE_OK) fail();
  }
  for (;;) {
    const int code = sqlite3_step(prepared);
    if (code == SQLITE_DONE) return;
    if (code != SQLITE_ROW) fail();
    if (visit) visit(Row(prepared));
  }
}

void Database::transaction(const std::function<void()>& work) {
  run("BEGIN IMMEDIATE");
  try {
    work();
    run("COMMIT");
  } catch (...) {
    sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

}  // namespace dsnn
