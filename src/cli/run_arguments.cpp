#include "cli/run_arguments.h"

#include "dsnn/data/dataset.h"
#include "dsnn/util/error.h"

#include "cli/terminal.h"

#include <fmt/format.h>

#include <filesystem>

namespace dsnn::cli {

GraphArguments graph_of_run(const GraphArguments& given, const Run& run,
                            const std::string& folder) {
  GraphArguments graph = given;
  if (!graph.graph.empty() || !graph.csv.edges.empty()) return graph;
  // dsnn fit saves the data beside its members.
  const auto kept = std::filesystem::path(folder) / "data.npz";
  std::error_code ignored;
  graph.graph = std::filesystem::exists(kept, ignored) ? kept.string() : run.dataset();
  try {
    find_dataset(graph.graph, graph.data_dir);
  } catch (const Error&) {
    throw Error(
        fmt::format("{}: was trained on '{}', which cannot be found by name; give its file, or "
                    "--edges and --nodes, again",
                    folder, run.dataset()));
  }
  return graph;
}

void warn_if_unfinished(const Run& run, const std::string& folder) {
  if (run.is_finished()) return;
  print_error(
      fmt::format("dsnn: warning: the training of {} is incomplete; its models are the best so "
                  "far, of the splits that were started\n",
                  folder));
}

void note_if_new(const std::string& folder, const char* file, const char* what) {
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::path(folder) / file, ignored)) return;
  print_error(
      fmt::format("dsnn: note: {} contains no {} to continue; starting a new one\n", folder, what));
}

}  // namespace dsnn::cli
