#include "dsnn/train/scores.h"

#include "reproduce/maps.h"
#include "reproduce/paired_test.h"
#include "reproduce/report.h"
#include "reproduce/seeds.h"
#include "util/json_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace dsnn::reproduce {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kLevel = 0.05;

/// First minus second, on the same splits of one dataset.
struct Comparison {
  const Cell *first, *second;
  Difference difference;
  double holm = 1;
};

/// A question, and all pairs of rows that answer it.
struct Question {
  std::string name;   // in JSON
  std::string title;  // what is added
  std::vector<Comparison> comparisons;
};

/// Rows that differ in nothing but what `is_pair` says.
template <class IsPair>
Question ask(const Grid& grid, std::string name, std::string title, const IsPair& is_pair) {
  Question question = {std::move(name), std::move(title), {}};
  for (const std::string& column : grid.columns) {
    for (const MapsRow& first : maps_rows()) {
      for (const MapsRow& second : maps_rows()) {
        if (!is_pair(first, second)) continue;
        const Cell *a = grid.scored(first.name, column), *b = grid.scored(second.name, column);
        if (a == nullptr || b == nullptr) continue;
        question.comparisons.push_back(
            {a, b,
             paired_difference(a->scores->accuracies, b->scores->accuracies, a->test_per_train)});
      }
    }
  }
  std::vector<double> p;
  for (const Comparison& c : question.comparisons) p.push_back(c.difference.corrected_p);
  const std::vector<double> adjusted = holm_adjusted(p);
  for (std::size_t i = 0; i < p.size(); ++i) question.comparisons[i].holm = adjusted[i];
  return question;
}

std::vector<Question> questions(const Grid& grid) {
  const auto same_field = [](const MapsRow& a, const MapsRow& b) { return a.field == b.field; };
  return {ask(grid, "learned-random", "Learned maps against random ones",
              [&](const MapsRow& a, const MapsRow& b) {
                return same_field(a, b) && a.family == b.family && a.maps == "learned" &&
                       b.maps == "random";
              }),
          ask(grid, "learned-identity", "Learned maps against identities",
              [&](const MapsRow& a, const MapsRow& b) {
                return same_field(a, b) && a.maps == "learned" && b.maps == "identity";
              }),
          ask(grid, "random-identity", "Random maps against identities",
              [&](const MapsRow& a, const MapsRow& b) {
                return same_field(a, b) && a.maps == "random" && b.maps == "identity";
              }),
          ask(grid, "phase", "The phase: DSNN against NSD with the same maps",
              [](const MapsRow& a, const MapsRow& b) {
                return a.family == b.family && a.maps == b.maps && a.field == "dsnn" &&
                       b.field == "nsd";
              })};
}

std::string cell_text(const Cell& cell) {
  if (cell.has_failed()) return "failed";
  if (!cell.config) return "not searched";
  return cell.scores ? seeds_score_text(*cell.scores) : "pending";
}

Document::Table accuracies(const Grid& grid) {
  Document::Table result;
  result.header = {"row"};
  for (const std::string& row : grid.models) result.rows.push_back({plain(row)});
  for (const std::string& column : grid.columns) {
    const bool is_searched = std::ranges::any_of(
        grid.cells, [&](const Cell& cell) { return cell.column == column && cell.config; });
    if (!is_searched) continue;
    result.header.push_back(column);
    for (std::size_t i = 0; i < grid.models.size(); ++i) {
      result.rows[i].push_back(plain(cell_text(grid.at(grid.models[i], column))));
    }
  }
  return result;
}

/// For each dataset and for all: how often the first is ahead, and by how much.
Document::Table summary_of(const Question& question) {
  Document::Table table;
  table.header = {"dataset", "ahead", "mean difference", "beyond noise, corrected", "Holm"};
  const auto add = [&](const std::string& name, const std::string& column) {
    int count = 0, ahead = 0, better = 0, worse = 0, holm_better = 0, holm_worse = 0;
    double sum = 0;
    for (const Comparison& c : question.comparisons) {
      if (!column.empty() && c.first->column != column) continue;
      ++count;
      sum += c.difference.mean;
      const bool is_ahead = c.difference.mean > 0;
      ahead += is_ahead ? 1 : 0;
      if (c.difference.corrected_p < kLevel) ++(is_ahead ? better : worse);
      if (c.holm < kLevel) ++(is_ahead ? holm_better : holm_worse);
    }
    if (count == 0) return;
    table.rows.push_back({plain(name), plain(fmt::format("{} of {}", ahead, count)),
                          plain(fmt::format("{:+.2f}", sum / count)),
                          plain(fmt::format("{} / {}", better, worse)),
                          plain(fmt::format("{} / {}", holm_better, holm_worse))});
  };
  for (const std::string& column : maps_columns()) add(column, column);
  add("all", "");
  return table;
}

Document::Table details_of(const Question& question) {
  Document::Table table;
  table.header = {"dataset", "first",     "second", "difference",
                  "p",       "corrected", "Holm",   "better / equal / worse"};
  for (const Comparison& c : question.comparisons) {
    const Difference& d = c.difference;
    table.rows.push_back({plain(c.first->column), plain(c.first->model), plain(c.second->model),
                          plain(fmt::format("{:+.2f}", d.mean)), plain(p_text(d.p)),
                          plain(p_text(d.corrected_p)), plain(p_text(c.holm)),
                          plain(fmt::format("{} / {} / {}", d.wins, d.ties, d.losses))});
  }
  return table;
}

}  // namespace

Document make_maps_report(const Grid& grid) {
  Document document;
  document.title = "Learned, random and identity maps";
  document.add(Document::Paragraph{
      "Test accuracy in percent: mean and standard deviation over the splits, each with its mean "
      "over the seeds. Each cell has parameters of its own, found by a search with the same number "
      "of trials."});
  const std::string seeds = seeds_text(grid);
  if (!seeds.empty()) document.add(Document::Paragraph{seeds});
  document.add(accuracies(grid));
  document.add(Document::Paragraph{
      "The comparisons are paired over the splits, whose scores are means over the seeds. p: "
      "two-sided paired t-test; corrected: with the variance correction of Nadeau and Bengio, "
      "because splits share nodes; Holm: also corrected for the number of comparisons of the "
      "question. Beyond noise: in how many comparisons the first is significantly ahead / behind "
      "at "
      "0.05."});
  for (const Question& question : questions(grid)) {
    if (question.comparisons.empty()) continue;
    document.add(Document::Heading{question.title});
    document.add(summary_of(question));
    document.add(details_of(question));
  }
  add_footer(document, grid);
  return document;
}

std::string maps_csv(const Grid& grid) {
  std::string text = "dataset,row,model,maps,seeds,mean,std_splits,std_seeds,accuracies\n";
  for (const std::string& column : grid.columns) {
    for (const MapsRow& row : maps_rows()) {
      const Cell* cell = grid.scored(row.name, column);
      if (cell == nullptr) continue;
      const CellScores& scores = *cell->scores;
      text += fmt::format("{},{},{},{},{},{:.4f},{:.4f},{:.4f},{:.4f}\n", column, row.name,
                          row.model, row.maps, fmt::join(scores.seeds, " "), scores.mean().mean,
                          scores.mean().deviation, scores.deviation_over_seeds(),
                          fmt::join(scores.accuracies, " "));
    }
  }
  return text;
}

std::string maps_json(const Grid& grid) {
  Json json = {{"cells", Json::array()}, {"questions", Json::object()}};
  for (const Cell& cell : grid.cells) {
    if (!cell.config) continue;
    Json entry = {
        {"dataset", cell.column}, {"row", cell.model}, {"maps", cell.config->config.word("maps")}};
    entry["state"] = cell.has_failed() ? "failed" : cell.scores ? "trained" : "pending";
    if (cell.is_scored()) {
      entry["seeds"] = cell.scores->seeds;
      entry["mean"] = cell.scores->mean().mean;
      entry["std_splits"] = cell.scores->mean().deviation;
      entry["std_seeds"] = cell.scores->deviation_over_seeds();
      entry["accuracies"] = cell.scores->accuracies;
    }
    json["cells"].push_back(std::move(entry));
  }
  for (const Question& question : questions(grid)) {
    Json& list = json["questions"][question.name] = Json::array();
    for (const Comparison& c : question.comparisons) {
      list.push_back({{"dataset", c.first->column},
                      {"first", c.first->model},
                      {"second", c.second->model},
                      {"difference", c.difference.mean},
                      {"p", c.difference.p},
                      {"corrected_p", c.difference.corrected_p},
                      {"holm", c.holm}});
    }
  }
  return json_text(json) + "\n";
}

}  // namespace dsnn::reproduce
