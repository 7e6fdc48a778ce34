#include "dsnn/report/report.h"

#include "dsnn/util/error.h"
#include "dsnn/util/output_file.h"
#include "dsnn/util/progress.h"

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/graph_arguments.h"
#include "cli/program.h"
#include "cli/run_arguments.h"
#include "cli/sweep_report.h"
#include "cli/train_display.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

namespace dsnn::cli {
namespace {

struct Arguments {
  std::string folder;
  GraphArguments graph;
  DatasetArguments dataset;
  std::string output;
  bool no_comparison = false;
  int jobs = 1;
};

/// A display for each network that is trained; a complete network shows nothing.
class ComparisonDisplay {
 public:
  explicit ComparisonDisplay(std::size_t num_splits) : num_splits_(num_splits) {}

  void show(const std::string& name, const TrainProgress& progress) {
    if (name != name_) {
      display_.emplace(num_splits_);
      display_->set_heading(name);
      name_ = name;
    }
    display_->show(progress);
  }

 private:
  std::size_t num_splits_;
  std::string name_;
  std::optional<TrainDisplay> display_;
};

int report_run(const Arguments& arguments, const std::string& output) {
  const Ensemble ensemble(arguments.folder);
  const Run& trained = ensemble.first();
  for (const Run& run : ensemble.members()) warn_if_unfinished(run, arguments.folder);
  const GraphArguments graph = graph_of_run(arguments.graph, trained, arguments.folder);
  check_output(output, input_files(graph));
  Dataset dataset = load_graph(graph);
  complete_dataset(arguments.dataset, dataset, trained.task() == TaskKind::kLinks);
  set_cancelled_text("cancelled; no page was written; the same command continues the training");
  set_progress_observer({});  // the display below shows progress
  std::string page;
  {
    ComparisonDisplay display(trained.splits().size());
    ReportOptions options;
    options.compares = !arguments.no_comparison;
    options.jobs = arguments.jobs;
    options.observer = [&](const std::string& name, const TrainProgress& progress) {
      display.show(name, progress);
    };
    page = run_report(ensemble, dataset, options);
  }
  OutputFile file(output);
  file.write(page);
  file.commit();
  if (!is_stream_path(output)) {
    const std::size_t count = ensemble.members().size(), splits = trained.splits().size();
    fmt::print("{}: {} on {}, {} split{}\n", output,
               count == 1 ? trained.model() : fmt::format("{} networks", count), trained.dataset(),
               splits, splits == 1 ? "" : "s");
  }
  return 0;
}

int run(const Arguments& arguments) {
  const std::filesystem::path folder = arguments.folder;
  if (is_sweep(folder)) return report_sweep(folder, arguments.output);
  return report_run(
      arguments, arguments.output.empty() ? (folder / "report.html").string() : arguments.output);
}

}  // namespace

void add_report(Command& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command* command = app.add_subcommand("report", "Write a page about a run or a sweep");
  command
      ->add_option("RUN", arguments->folder,
                   "Folder of 'dsnn train --out', 'dsnn fit' or 'dsnn sweep'")
      ->required();
  add_graph_arguments(*command, arguments->graph, false);
  add_dataset_arguments(*command, arguments->dataset);
  add_output_argument(*command, arguments->output, false,
                      "HTML file to write (default: RUN/report.html)");
  command->add_flag("--no-comparison", arguments->no_comparison,
                    "Do not train the comparisons (an mlp, and the model with charge 0)");
  add_integer(*command, "--jobs", arguments->jobs, "Splits trained in parallel (default: 1)", 1,
              1024);
  command->footer(
      "The page is one self-contained HTML file. It shows the scores with confidence\n"
      "intervals, learning curves, the confusion matrix, calibration, the nodes most confidently\n"
      "wrong, and for a sheaf network the edges that disagree most and the learned maps. Of a run\n"
      "of links it shows all metrics, ranks and the most probable arcs that are missing.\n"
      "\n"
      "To measure the benefit of the graph, the command trains an mlp, which uses only the "
      "features,\n"
      "on the same splits. To measure the benefit of arc directions, it trains the same network\n"
      "with charge 0. Both are saved in RUN/report and reused by the next call.\n"
      "\n"
      "The data must be the training data. Default: the copy in the folder of 'dsnn fit', or the\n"
      "dataset of the run, found by its name. For files of your own, give the same files and\n"
      "options as for 'dsnn train'.\n"
      "For the folder of a sweep, the command is the same as 'dsnn sweep-report'.\n"
      "Examples:\n"
      "  dsnn report run\n"
      "  dsnn report fitted\n"
      "  dsnn report run --no-comparison -o page.html\n"
      "  dsnn report run --edges edges.csv --nodes nodes.csv --label-column topic --split "
      "48/32/20");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace dsnn::cli
