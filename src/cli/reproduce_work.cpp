#include "cli/reproduce_work.h"

#include "dsnn/data/dataset.h"
#include "dsnn/util/error.h"
#include "dsnn/util/output_file.h"
#include "dsnn/util/progress.h"

#include "cli/arguments.h"
#include "cli/cell_display.h"
#include "cli/program.h"
#include "cli/run_arguments.h"
#include "reproduce/check.h"
#include "reproduce/report.h"
#include "util/machine.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace dsnn::cli {

namespace fs = std::filesystem;
using namespace reproduce;

namespace {

/// A figure is also written to its own file.
void write_outputs(const ReproduceArguments& arguments, const Work& work) {
  const fs::path folder = arguments.folder(work.table);
  Document document = work.report(work.grid);
  if (arguments.seed) {
    document.blocks.insert(document.blocks.begin(),
                           Document::Paragraph{fmt::format(
                               "All networks are trained with seed {} instead of the seeds "
                               "of their configurations, which were found by the search.",
                               *arguments.seed)});
  }
  for (const Document::Block& block : document.blocks) {
    if (const auto* figure = std::get_if<Document::Figure>(&block)) {
      write_file(folder / figure->file, figure->svg);
    }
  }
  write_file(folder / (work.name + ".md"), to_markdown(document));
  write_file(folder / (work.name + ".html"), to_html(document));
  write_file(folder / (work.name + ".csv"), work.csv(work.grid));
  if (work.json) write_file(folder / (work.name + ".json"), work.json(work.grid));
}

int run_check(const Work& work, const ReproduceArguments& arguments) {
  const fs::path folder = arguments.folder(work.table);
  if (!fs::is_directory(folder)) {
    throw Error(
        fmt::format("{}: no such folder; run the command in the folder that contains 'results', or "
                    "use --results",
                    folder.string()));
  }
  CheckOptions options;
  options.jobs = arguments.jobs > 0 ? arguments.jobs : num_cores();
  options.splits = parse_splits(arguments.splits);
  // Not among the runs of DIR: those may be the stored runs.
  if (!arguments.out.empty()) {
    check_is_outside(arguments.out, arguments.results);
    options.runs = arguments.with_seed(fs::path(arguments.out) / "check");
  }
  set_cancelled_text(options.runs.empty() ? "cancelled; nothing is kept without --out"
                                          : "cancelled; the same command continues");
  set_progress_observer({});  // jobs write files at the same time, and the display shows progress
  CheckDisplay display;
  const CheckSummary summary =
      check_cells(work.grid, work.load, options, display, [](const std::string& line) {
        fmt::print("{}\n", line);
        std::fflush(stdout);  // the next line may take hours
      });
  fmt::print("{}\n", summary.text());
  if (summary.different > 0) return 1;
  if (summary.failed > 0) return kPartFailed;
  if (summary.compared() == 0) throw Error("nothing was compared");
  return 0;
}

}  // namespace

LoadColumn dataset_loader(const std::string& data_dir) {
  return [data_dir](const std::string& name) { return read_dataset(find_dataset(name, data_dir)); };
}

int run_work(Work work, const ReproduceArguments& arguments) {
  if (arguments.check) return run_check(work, arguments);
  std::error_code error;
  const fs::path folder = arguments.folder(work.table);
  fs::create_directories(folder, error);
  if (error) throw Error(fmt::format("{}: cannot create: {}", folder.string(), error.message()));
  const int jobs = arguments.jobs > 0 ? arguments.jobs : num_cores();
  set_cancelled_text("cancelled; the same command continues");
  set_progress_observer({});  // jobs write files at the same time, and the display shows progress
  const auto write = [&] { write_outputs(arguments, work); };
  CellDisplay display(write);
  collect_scores(work.grid, work.load, display);
  work.grid.trim();
  write();
  run_cells(work.grid, work.load, jobs, display);
  if (summarise(work.grid).pending > 0) {  // other processes may have trained some of them
    collect_scores(work.grid, work.load, display);
    write();
  }
  const Summary summary = summarise(work.grid);
  fmt::print("{}\n", summary.text());
  const bool has_figure = fs::exists(folder / (work.name + ".svg"));
  fmt::print("{}: {}.md, .csv, .html{}{}\n", folder.string(), work.name, has_figure ? ", .svg" : "",
             work.json ? ", .json" : "");
  return summary.failed > 0 ? kPartFailed : 0;
}

}  // namespace dsnn::cli
