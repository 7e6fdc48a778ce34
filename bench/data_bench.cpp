// Measures the time to load a dataset, and the memory besides the result: a million nodes with
// ten million arcs and 100 features from npz and from CSV, and other formats. Files are written to
// a temporary folder (3 GB at a time) and read from the machine's cache. Prints a table, or JSON
// for scripts/bench_table.py.
#include "dsnn/data/csv.h"
#include "dsnn/data/dataset.h"
#include "dsnn/data/folders.h"
#include "dsnn/util/error.h"

#include "data_files.h"
#include "timing.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsnn::bench {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string name;
  std::function<void(const fs::path&)> make;
  std::function<Dataset(const fs::path&)> load;
};

struct Outcome {
  double seconds = 0;
  double peak_bytes = 0;    // most memory of the process at one time, above its start
  double result_bytes = 0;  // of the dataset
};

// --- memory ---

double text_bytes(const std::vector<std::string>& texts) {
  double bytes = static_cast<double>(texts.size() * sizeof(std::string));
  const std::size_t inside = std::string().capacity();
  for (const std::string& text : texts) {
    if (text.capacity() > inside) bytes += static_cast<double>(text.capacity() + 1);
  }
  return bytes;
}

double dataset_bytes(const Dataset& dataset) {
  const auto bytes = [](const auto& values) {
    return static_cast<double>(values.size() * sizeof(values[0]));
  };
  const DirectedGraph& graph = dataset.graph;
  double sum = bytes(graph.row_offsets()) + bytes(graph.neighbours()) +
               bytes(graph.reverse_ranks()) + bytes(graph.orientations());
  sum += bytes(dataset.features.values) + bytes(dataset.features.columns) +
         bytes(dataset.features.offsets) + bytes(dataset.labels);
  for (const Split& split : dataset.splits) {
    sum += bytes(split.train) + bytes(split.validation) + bytes(split.test);
  }
  return sum + text_bytes(dataset.node_ids) + text_bytes(dataset.feature_names);
}

/// A line of /proc/self/status, in bytes.
double status_bytes(std::string_view key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return std::strtod(line.c_str() + key.size() + 1, nullptr) * 1024;
  }
  return 0;
}

// --- processes ---

/// Runs `work` in a separate process, whose memory starts small, and returns its result.
Outcome in_child(const std::function<Outcome()>& work) {
  std::fflush(nullptr);
  int ends[2];
  if (::pipe(ends) != 0) throw Error("cannot make a pipe");
  const pid_t child = ::fork();
  if (child < 0) throw Error("cannot fork");
  if (child == 0) {
    int code = 1;
    try {
      const Outcome outcome = work();
      code = ::write(ends[1], &outcome, sizeof(outcome)) == sizeof(outcome) ? 0 : 1;
    } catch (const std::exception& error) {
      fmt::print(stderr, "data_bench: {}\n", error.what());
    }
    ::_exit(code);
  }
  ::close(ends[1]);
  Outcome outcome;
  const ssize_t got = ::read(ends[0], &outcome, sizeof(outcome));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (got != sizeof(outcome) || status != 0) throw Error("a measurement failed");
  return outcome;
}

Outcome measure(const Case& what, const fs::path& folder) {
  in_child([&] {
    what.make(folder);
    return Outcome{};
  });
  return in_child([&] {
    Outcome outcome;
    const double start = status_bytes("VmRSS:");
    Dataset dataset;
    outcome.seconds = seconds([&] { dataset = what.load(folder); });
    outcome.peak_bytes = status_bytes("VmHWM:") - start;
    outcome.result_bytes = dataset_bytes(dataset);
    return outcome;
  });
}

// --- cases ---

Dataset load_csv(const fs::path& folder) {
  CsvOptions options;
  options.edges = folder / "edges.csv";
  options.nodes = folder / "nodes.csv";
  return read_csv_dataset(options);
}

std::vector<Case> make_cases(double scale) {
  const auto scaled = [&](double count) { return static_cast<std::int64_t>(scale * count); };
  const DataSize large{scaled(1e6), scaled(1e7), 100};
  const DataSize medium{scaled(2e5), scaled(2e6), 50};
  const auto load_file = [](const char* name) {
    return [=](const fs::path& folder) { return read_dataset(folder / name); };
  };
  return {
      {"npz stored", [=](const fs::path& f) { make_npz(f / "graph.npz", large, false); },
       load_file("graph.npz")},
      {"npz deflated", [=](const fs::path& f) { make_npz(f / "graph.npz", large, true); },
       load_file("graph.npz")},
      {"csv, numbers as ids", [=](const fs::path& f) { make_csv(f, large, Ids::kNumbers); },
       load_csv},
      {"csv, words as ids", [=](const fs::path& f) { make_csv(f, large, Ids::kWords); }, load_csv},
      {"edge list", [=](const fs::path& f) { make_edge_list(f / "arcs.txt", large); },
       load_file("arcs.txt")},
      {"edge list, gzipped", [=](const fs::path& f) { make_edge_list(f / "arcs.txt.gz", large); },
       load_file("arcs.txt.gz")},
      {"geom-gcn, a fifth", [=](const fs::path& f) { make_geom_gcn(f, medium); }, read_geom_gcn},
      {"ogb, gzipped, a fifth", [=](const fs::path& f) { make_ogb(f, medium); }, read_ogb},
  };
}

// --- output ---

void print_row(const Case& what, const Outcome& outcome, bool is_json, bool is_first) {
  const double ratio = outcome.peak_bytes / outcome.result_bytes;
  if (is_json) {
    fmt::print(
        "{}{{\"name\": \"{}\", \"real_time\": {:.3f}, \"time_unit\": \"s\", "
        "\"result_bytes\": {:.0f}, \"peak_bytes\": {:.0f}, \"peak_over_result\": {:.3f}}}",
        is_first ? "" : ",\n", what.name, outcome.seconds, outcome.result_bytes, outcome.peak_bytes,
        ratio);
  } else {
    fmt::print("{:<24}{:>8.1f} s {:>8.0f} MB {:>8.0f} MB {:>6.2f}\n", what.name, outcome.seconds,
               outcome.result_bytes / 1e6, outcome.peak_bytes / 1e6, ratio);
  }
  std::fflush(stdout);
}

struct Options {
  fs::path folder;
  std::string filter;
  double scale = 1;
  bool is_json = false;
};

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--json") {
      options.is_json = true;
    } else if (word == "--folder" && has_value) {
      options.folder = argv[++i];
    } else if (word == "--filter" && has_value) {
      options.filter = argv[++i];
    } else if (word == "--scale" && has_value) {
      options.scale = std::strtod(argv[++i], nullptr);
    } else {
      return std::nullopt;
    }
  }
  return options;
}

/// A temporary folder within the requested one, removed at the end.
class WorkFolder {
 public:
  explicit WorkFolder(const fs::path& parent) {
    std::string name =
        ((parent.empty() ? fs::temp_directory_path() : parent) / "data-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw Error(fmt::format("{}: cannot create", name));
    path_ = name;
  }
  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void run(const Options& options) {
  fmt::print("{}", options.is_json ? "{\"benchmarks\": [\n"
                                   : "format                    loading      result        peak   "
                                     "ratio\n");
  bool is_first = true;
  for (const Case& what : make_cases(options.scale)) {
    if (what.name.find(options.filter) == std::string::npos) continue;
    const WorkFolder folder(options.folder);
    print_row(what, measure(what, folder.path()), options.is_json, is_first);
    is_first = false;
  }
  if (options.is_json) fmt::print("\n]}}\n");
}

}  // namespace
}  // namespace dsnn::bench

int main(int argc, char** argv) {
  const auto options = dsnn::bench::parse(argc, argv);
  if (!options || options->scale <= 0) {
    fmt::print(stderr,
               "usage: data_bench [--json] [--scale X] [--filter TEXT] [--folder FOLDER]\n");
    return 2;
  }
  try {
    dsnn::bench::run(*options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "data_bench: {}\n", error.what());
    return 1;
  }
}
