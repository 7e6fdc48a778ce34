#include "reproduce/report.h"

#include "dsnn/nn/model.h"

#include "reproduce/columns_by.h"
#include "reproduce/families.h"
#include "reproduce/seeds.h"
#include "util/duration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

namespace dsnn::reproduce {
namespace {

bool has_parameter(const RunConfig& config, const std::string& name) {
  return std::ranges::find(config.config.parameters(), name, &Parameter::name) !=
         config.config.parameters().end();
}

const char* plural(std::size_t count) { return count == 1 ? "" : "s"; }

Document::TableCell table_cell(const Cell& cell) {
  if (cell.has_failed()) {
    const bool is_partial = cell.failure.empty();
    return {{"failed", is_partial ? fmt::format("{} of {} splits", cell.scores->num_failed,
                                                cell.scores->num_splits)
                                  : "see below"},
            "failed"};
  }
  const std::string paper = cell.paper ? "paper " + score_text(*cell.paper) : "";
  if (!cell.scores) {
    Document::TableCell result = plain(cell.is_pending() ? "pending" : "-");
    if (cell.paper) result.lines.push_back(paper);
    return result;
  }
  Document::TableCell result = plain(seeds_score_text(*cell.scores));
  if (!cell.paper) return result;
  result.kind = to_text(*cell.mark());
  result.lines.push_back(paper);
  result.lines.push_back(fmt::format("{:+.2f} {}", *cell.difference(), result.kind));
  return result;
}

/// The places of the best and second best score of a column by mean; ties share a place. Too few
/// scores have none.
std::map<std::string, std::string> places_in(const Grid& grid, const std::string& column) {
  std::map<double, std::vector<std::string>, std::greater<>> models;
  std::size_t count = 0;
  for (const std::string& model : grid.models) {
    const Cell& cell = grid.at(model, column);
    if (!cell.is_scored()) continue;
    models[cell.scores->mean().mean].push_back(model);
    ++count;
  }
  std::map<std::string, std::string> places;
  if (count < 3) return places;
  const auto best = models.begin();
  for (const std::string& model : best->second) places[model] = "best";
  if (best->second.size() > 1 || std::next(best) == models.end()) return places;
  for (const std::string& model : std::next(best)->second) places[model] = "second";
  return places;
}

Document::Table main_table(const Grid& grid) {
  Document::Table table;
  table.header.emplace_back("model");
  for (const std::string& model : grid.models) table.rows.push_back({plain(model)});
  for (const std::string& column : grid.columns) {
    table.header.push_back(column);
    auto places = places_in(grid, column);
    for (std::size_t i = 0; i < grid.models.size(); ++i) {
      table.rows[i].push_back(table_cell(grid.at(grid.models[i], column)));
      table.rows[i].back().place = places[grid.models[i]];
    }
  }
  return table;
}

/// The most informative parameters of a sheaf network.
constexpr const char* kChoices[] = {"layers",     "stalk_dim", "channels", "q",
                                    "activation", "diagonal",  "low_pass", "high_pass"};

/// The parameters chosen by validation for the sheaf networks, and the validation score.
void add_choices(Document& document, const Grid& grid, const std::string& column_word,
                 const std::string& score_word) {
  Document::Table table;
  table.header = {column_word, "model", "validation", "test"};
  table.header.insert(table.header.end(), std::begin(kChoices), std::end(kChoices));
  for (const Cell& cell : grid.cells) {
    if (!cell.is_scored() || !has_parameter(*cell.config, "stalk_dim")) continue;
    std::vector<Document::TableCell> row = {plain(cell.column), plain(cell.model),
                                            plain(fmt::format("{:.2f}", cell.scores->validation)),
                                            plain(fmt::format("{:.2f}", cell.scores->mean().mean))};
    for (const char* name : kChoices) {
      row.push_back(plain(has_parameter(*cell.config, name)
                              ? dsnn::to_text(cell.config->config.value(name))
                              : "-"));
    }
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) return;
  document.add(Document::Heading{"What was chosen"});
  const bool is_of_nodes = score_word == "accuracy";
  document.add(Document::Paragraph{
      is_of_nodes
          ? "Mean accuracies on the validation and test nodes, and parameters of the sheaf "
            "networks."
          : fmt::format("Mean {} of validation and test, and parameters of the sheaf networks.",
                        score_word)});
  document.add(std::move(table));
}

std::string optional_text(const std::optional<double>& number) {
  return number ? fmt::format("{:.4f}", *number) : "";
}

std::vector<std::string> commits_of(const CellScores& scores) {
  std::vector<std::string> commits;
  for (const Circumstances& each : scores.circumstances) add_once(commits, each.commit);
  return commits;
}

/// "DSNN 27 in 36:23 min, NSD 27 in 37:10 min": cells and their time by model family; empty if
/// there is only one.
std::string times_by_family(const Grid& grid) {
  std::vector<std::string> families;
  std::map<std::string, std::pair<int, double>> times;
  for (const Cell& cell : grid.cells) {
    if (!cell.scores) continue;
    const std::string& family = nn::find_model(cell.trained_model()).family;
    add_once(families, family);
    times[family].first += 1;
    times[family].second += cell.scores->wall_seconds;
  }
  if (families.size() < 2) return "";
  std::vector<std::string> parts;
  for (const std::string& family : families) {
    const auto [count, seconds] = times[family];
    parts.push_back(fmt::format("{} {} in {}", family, count, duration_text(seconds)));
  }
  return fmt::format(" By model family: {}.", fmt::join(parts, ", "));
}

/// The versions of the arithmetic by column; empty if all columns have this program's version.
std::string arithmetics_text(const Grid& grid) {
  const auto names =
      columns_by(grid, [](const Cell& cell) { return cell.scores->arithmetic.version; });
  if (names.empty() || (names.size() == 1 && names.contains(kArithmeticVersion))) return "";
  std::vector<std::string> parts;
  for (auto each = names.rbegin(); each != names.rend(); ++each) {
    parts.push_back(fmt::format("{} on {}",
                                each->first == 0 ? "several" : fmt::format("{}", each->first),
                                fmt::join(each->second, ", ")));
  }
  return fmt::format("Versions of the arithmetic (this program has {}): {}.", kArithmeticVersion,
                     fmt::join(parts, "; "));
}

std::string mark_word(const Cell& cell) {
  if (cell.has_failed()) return "failed";
  if (cell.is_pending()) return "pending";
  return cell.mark() ? to_text(*cell.mark()) : "";
}

}  // namespace

std::string Summary::text() const {
  const int compared = agree + close + differ;
  std::string text = fmt::format("{} cell{} compared with the paper: {} agree, {} close, {} differ",
                                 compared, compared == 1 ? "" : "s", agree, close, differ);
  if (unpublished > 0) text += fmt::format("; {} not in the paper", unpublished);
  if (failed > 0) text += fmt::format("; {} failed", failed);
  if (pending > 0) text += fmt::format("; {} not trained yet", pending);
  if (incomplete > 0) text += fmt::format("; {} without some of their seeds", incomplete);
  return text + ".";
}

Summary summarise(const Grid& grid) {
  Summary summary;
  for (const Cell& cell : grid.cells) {
    if (cell.is_incomplete()) ++summary.incomplete;
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

void add_footer(Document& document, const Grid& grid) {
  double trained = 0, wall = 0;
  int count = 0;
  std::vector<std::string> commits, processors, cores, jobs, others;
  for (const Cell& cell : grid.cells) {
    if (cell.has_failed()) {
      document.add(Document::Paragraph{
          fmt::format("Failed: {} on {}: {}", cell.model, cell.column,
                      cell.failure.empty() ? cell.scores->failure : cell.failure)});
    }
    if (!cell.scores) continue;
    if (cell.has_other_data) add_once(others, cell.column);
    ++count;
    trained += cell.scores->seconds;
    wall += cell.scores->wall_seconds;
    for (const Circumstances& each : cell.scores->circumstances) {
      add_once(commits, each.commit);
      add_once(processors, each.processor);
      add_once(cores, std::to_string(each.cores));
      add_once(jobs, std::to_string(each.jobs));
    }
  }
  if (!others.empty()) {
    document.add(Document::Paragraph{fmt::format(
        "Data that differ from the data of the parameter search: {}.", fmt::join(others, ", "))});
  }
  if (count == 0) return;
  const std::string arithmetics = arithmetics_text(grid);
  if (!arithmetics.empty()) document.add(Document::Paragraph{arithmetics});
  document.add(Document::Paragraph{fmt::format(
      "Trained by dsnn of commit{} {} on {}; cores: {}, parallel splits: {}. The {} cell{} took "
      "{}, or {} summed over the splits.{}",
      plural(commits.size()), fmt::join(commits, ", "), fmt::join(processors, ", "),
      fmt::join(cores, ", "), fmt::join(jobs, ", "), count, plural(count), duration_text(wall),
      duration_text(trained), times_by_family(grid))});
}

Document make_report(const Grid& grid, const std::string& title, const std::string& column_word,
                     const std::string& score_word) {
  Document document;
  document.title = title;
  document.add(Document::Paragraph{fmt::format(
      "Test {} in percent: mean and standard deviation over the splits, the paper's result below, "
      "and the difference. Agrees: within one of the paper's standard deviations of its mean; "
      "close: within two; differs: more. Bold: the best mean of a column; underlined: the second "
      "best.",
      score_word)});
  const std::string seeds = seeds_text(grid);
  if (!seeds.empty()) document.add(Document::Paragraph{seeds});
  document.add(main_table(grid));
  document.add(Document::Paragraph{summarise(grid).text()});
  add_families(document, grid, column_word, "nsd", "NSD");
  add_families(document, grid, column_word, "nsd-compl", "NSD-Compl");
  add_choices(document, grid, column_word, score_word);
  add_footer(document, grid);
  return document;
}

std::string accuracies_text(const Cell& cell) {
  return cell.is_scored() ? fmt::format("{:.4f}", fmt::join(cell.scores->accuracies, " ")) : "";
}

std::string report_csv(const Grid& grid, const std::string& column_word) {
  std::string text = fmt::format(
      "{},model,ours_mean,ours_std,seeds,std_seeds,paper_mean,paper_std,difference,mark,"
      "validation_mean,accuracies,commit,seconds,wall_seconds\n",
      column_word);
  for (const Cell& cell : grid.cells) {
    std::optional<double> mean, deviation, over_seeds, validation;
    std::string seeds;
    if (cell.is_scored()) {
      mean = cell.scores->mean().mean;
      seeds = fmt::format("{}", fmt::join(cell.scores->seeds, " "));
      if (cell.scores->seeds.size() > 1) over_seeds = cell.scores->deviation_over_seeds();
      deviation = cell.scores->mean().deviation;
      validation = cell.scores->validation;
    }
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", cell.column, cell.model,
                    optional_text(mean), optional_text(deviation), seeds, optional_text(over_seeds),
                    cell.paper ? fmt::format("{}", cell.paper->mean) : "",
                    cell.paper ? fmt::format("{}", cell.paper->deviation) : "",
                    optional_text(cell.difference()), mark_word(cell), optional_text(validation),
                    cell.scores ? fmt::format("{},{},{:.1f},{:.1f}", accuracies_text(cell),
                                              fmt::join(commits_of(*cell.scores), " "),
                                              cell.scores->seconds, cell.scores->wall_seconds)
                                : ",,,");
  }
  return text;
}

}  // namespace dsnn::reproduce
