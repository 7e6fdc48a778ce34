#include "reproduce/report.h"

#include "dsnn/version.h"

#include "util/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <thread>
#include <utility>

namespace dsnn::reproduce {
namespace {

constexpr const char* kFamilies[] = {"diag", "orth", "gen"};

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

Document::TableCell table_cell(const Cell& cell) {
  if (cell.has_failed()) {
    const bool is_partial = cell.failure.empty();
    return {{"failed", is_partial ? fmt::format("{} of {} splits", cell.scores->num_failed,
                                                cell.scores->accuracies.size())
                                  : "see below"},
            "failed"};
  }
  if (!cell.scores) return plain(cell.is_pending() ? "pending" : "-");
  Document::TableCell result = plain(score_text(cell.scores->mean()));
  if (!cell.paper) return result;
  result.kind = to_text(*cell.mark());
  result.lines.push_back("paper " + score_text(*cell.paper));
  result.lines.push_back(fmt::format("{:+.2f} {}", *cell.difference(), result.kind));
  return result;
}

Document::Table main_table(const Grid& grid) {
  Document::Table table;
  table.header.emplace_back("model");
  for (const std::string& column : grid.columns) table.header.push_back(column);
  for (const std::string& model : grid.models) {
    std::vector<Document::TableCell> row = {plain(model)};
    for (const std::string& column : grid.columns)
      row.push_back(table_cell(grid.at(model, column)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

const Cell* scored_cell(const Grid& grid, const std::string& model, const std::string& column) {
  if (std::ranges::find(grid.models, model) == grid.models.end()) return nullptr;
  const Cell& cell = grid.at(model, column);
  return cell.is_scored() ? &cell : nullptr;
}

/// DSNN minus NSD on the same splits.
Document::Table family_table(const Grid& grid, const std::string& column_word) {
  Document::Table table;
  table.header = {column_word, "maps", "DSNN", "NSD", "DSNN - NSD", "p", "better / equal / worse"};
  for (const std::string& column : grid.columns) {
    for (const std::string family : kFamilies) {
      const Cell* dsnn = scored_cell(grid, family + "-dsnn", column);
      const Cell* nsd = scored_cell(grid, family + "-nsd", column);
      if (dsnn == nullptr || nsd == nullptr) continue;
      const Difference d = paired_difference(dsnn->scores->accuracies, nsd->scores->accuracies);
      table.rows.push_back({plain(column), plain(family), plain(score_text(dsnn->scores->mean())),
                            plain(score_text(nsd->scores->mean())),
                            plain(fmt::format("{:+.2f}", d.mean)), plain(p_text(d.p)),
                            plain(fmt::format("{} / {} / {}", d.wins, d.ties, d.losses))});
    }
  }
  return table;
}

std::string optional_text(const std::optional<double>& number) {
  return number ? fmt::format("{:.4f}", *number) : "";
}

std::string mark_word(const Cell& cell) {
  if (cell.has_failed()) return "failed";
  if (cell.is_pending()) return "pending";
  return cell.mark() ? to_text(*cell.mark()) : "";
}

}  // namespace

Circumstances current_circumstances(int jobs) {
  return {DSNN_VERSION, processor_name(), static_cast<int>(std::thread::hardware_concurrency()),
          jobs, 0};
}

std::string Summary::text() const {
  const int compared = agree + close + differ;
  std::string text = fmt::format("{} cell{} compared with the paper: {} agree, {} close, {} differ",
                                 compared, compared == 1 ? "" : "s", agree, close, differ);
  if (unpublished > 0) text += fmt::format("; {} without a number there", unpublished);
  if (failed > 0) text += fmt::format("; {} failed", failed);
  if (pending > 0) text += fmt::format("; {} not trained yet", pending);
  return text + ".";
}

Summary summarise(const Grid& grid) {
  Summary summary;
  for (const Cell& cell : grid.cells) {
    if (cell.has_failed()) {
      ++summary.failed;
    } else if (cell.is_pending()) {
      ++summary.pending;
    } else if (cell.scores && !cell.paper) {
      ++summary.unpublished;
    } else if (const std::optional<Mark> mark = cell.mark()) {
      ++(*mark == Mark::kAgrees  ? summary.agree
         : *mark == Mark::kClose ? summary.close
                                 : summary.differ);
    }
  }
  return summary;
}

std::string score_text(const MeanAndDeviation& score) {
  return fmt::format("{:.2f} +- {:.2f}", score.mean, score.deviation);
}

std::string p_text(double p) { return p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p); }

Document::TableCell plain(std::string text) { return {{std::move(text)}}; }

void add_footer(Document& document, const Grid& grid, const Circumstances& circumstances) {
  double trained = 0;
  for (const Cell& cell : grid.cells) {
    if (cell.scores) trained += cell.scores->seconds;
    if (!cell.has_failed()) continue;
    document.add(Document::Paragraph{
        fmt::format("Failed: {} on {}: {}", cell.model, cell.column,
                    cell.failure.empty() ? cell.scores->failure : cell.failure)});
  }
  document.add(
      Document::Paragraph{fmt::format("dsnn {}, {}, {} core{}. Training took {}, added over the "
                                      "splits; the last run of the command "
                                      "took {} with {} job{}.",
                                      circumstances.version, circumstances.processor,
                                      circumstances.cores, circumstances.cores == 1 ? "" : "s",
                                      duration_text(trained), duration_text(circumstances.seconds),
                                      circumstances.jobs, circumstances.jobs == 1 ? "" : "s")});
}

Document make_report(const Grid& grid, const std::string& title, const std::string& column_word,
                     const Circumstances& circumstances) {
  Document document;
  document.title = title;
  document.add(
      Document::Paragraph{"Test accuracy in percent: mean and standard deviation over the splits, "
                          "the paper's below, and "
                          "the difference. Agrees: at most one of the paper's standard deviations "
                          "from its mean; close: "
                          "at most two; differs: more."});
  document.add(main_table(grid));
  document.add(Document::Paragraph{summarise(grid).text()});
  Document::Table families = family_table(grid, column_word);
  if (!families.rows.empty()) {
    document.add(Document::Heading{"DSNN against NSD"});
    document.add(Document::Paragraph{
        "Paired over the splits: mean of the differences, p-value of a two-sided paired t-test "
        "(not "
        "corrected for the number of tests), and on how many splits DSNN is better, equal and "
        "worse. The splits share nodes, which makes such p-values too small."});
    document.add(std::move(families));
  }
  add_footer(document, grid, circumstances);
  return document;
}

std::string report_csv(const Grid& grid, const std::string& column_word) {
  std::string text = fmt::format(
      "{},model,ours_mean,ours_std,paper_mean,paper_std,difference,mark,seconds\n", column_word);
  for (const Cell& cell : grid.cells) {
    std::optional<double> mean, deviation;
    if (cell.is_scored()) {
      mean = cell.scores->mean().mean;
      deviation = cell.scores->mean().deviation;
    }
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{}\n", cell.column, cell.model, optional_text(mean),
                    optional_text(deviation), cell.paper ? fmt::format("{}", cell.paper->mean) : "",
                    cell.paper ? fmt::format("{}", cell.paper->deviation) : "",
                    optional_text(cell.difference()), mark_word(cell),
                    cell.scores ? fmt::format("{:.1f}", cell.scores->seconds) : "");
  }
  return text;
}

}  // namespace dsnn::reproduce
