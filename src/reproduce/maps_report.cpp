#include "dsnn/train/scores.h"

#include "reproduce/maps.h"
#include "reproduce/paired_test.h"
#include "reproduce/report.h"
#include "util/json_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <span>

namespace dsnn::reproduce {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kLevel = 0.05;

/// A row of the table on a dataset: the cells of all seeds.
struct Entry {
  const MapsRow* row;
  std::string column;
  std::vector<const Cell*> cells;  // those with scores
  bool is_searched = false, has_failed = false;

  bool is_scored() const { return !cells.empty() && !has_failed; }
  /// The mean over the seeds, for each split.
  std::vector<double> by_split() const {
    std::vector<double> sums(cells.front()->scores->accuracies.size(), 0);
    for (const Cell* cell : cells) {
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += cell->scores->accuracies[i] / static_cast<double>(cells.size());
      }
    }
    return sums;
  }
  MeanAndDeviation over_splits() const { return mean_and_deviation(by_split()); }
  /// Of the means of the seeds; 0 with one seed.
  double deviation_over_seeds() const {
    std::vector<double> means;
    for (const Cell* cell : cells) means.push_back(cell->scores->mean().mean);
    return means.size() < 2 ? 0 : mean_and_deviation(means).deviation;
  }
};

/// All rows and columns with a selected or a trained cell.
class Table {
 public:
  Table(const Grid& grid, const std::vector<std::uint64_t>& seeds) {
    for (const std::string& column : grid.columns) {
      for (const MapsRow& row : maps_rows()) {
        Entry entry = {&row, column, {}, false, false};
        for (const Cell& cell : grid.cells) {
          const bool is_one = std::ranges::any_of(seeds, [&](std::uint64_t seed) {
            return cell.model == fmt::format("{} seed {}", row.name, seed);
          });
          if (!is_one || cell.column != column) continue;
          entry.is_searched |= cell.config.has_value();
          entry.has_failed |= cell.has_failed();
          if (cell.is_scored()) entry.cells.push_back(&cell);
        }
        entries_.push_back(std::move(entry));
      }
    }
    for (const std::string& column : grid.columns) columns_.push_back(column);
  }

  const std::vector<std::string>& columns() const { return columns_; }
  std::span<const Entry> entries() const { return entries_; }
  const Entry& at(const MapsRow& row, const std::string& column) const {
    return *std::ranges::find_if(
        entries_, [&](const Entry& e) { return e.row == &row && e.column == column; });
  }

 private:
  std::vector<std::string> columns_;
  std::vector<Entry> entries_;
};

/// First minus second, on the same splits of one dataset.
struct Comparison {
  const Entry *first, *second;
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
Question ask(const Table& table, std::string name, std::string title, const IsPair& is_pair) {
  Question question = {std::move(name), std::move(title), {}};
  for (const std::string& column : table.columns()) {
    for (const MapsRow& first : maps_rows()) {
      for (const MapsRow& second : maps_rows()) {
        if (!is_pair(first, second)) continue;
        const Entry &a = table.at(first, column), &b = table.at(second, column);
        if (!a.is_scored() || !b.is_scored()) continue;
        question.comparisons.push_back(
            {&a, &b, paired_difference(a.by_split(), b.by_split(), a.cells[0]->test_per_train)});
      }
    }
  }
  std::vector<double> p;
  for (const Comparison& c : question.comparisons) p.push_back(c.difference.corrected_p);
  const std::vector<double> adjusted = holm_adjusted(p);
  for (std::size_t i = 0; i < p.size(); ++i) question.comparisons[i].holm = adjusted[i];
  return question;
}

std::vector<Question> questions(const Table& table) {
  const auto same_field = [](const MapsRow& a, const MapsRow& b) { return a.field == b.field; };
  return {ask(table, "learned-random", "Learned maps against random ones",
              [&](const MapsRow& a, const MapsRow& b) {
                return same_field(a, b) && a.family == b.family && a.maps == "learned" &&
                       b.maps == "random";
              }),
          ask(table, "learned-identity", "Learned maps against identities",
              [&](const MapsRow& a, const MapsRow& b) {
                return same_field(a, b) && a.maps == "learned" && b.maps == "identity";
              }),
          ask(table, "random-identity", "Random maps against identities",
              [&](const MapsRow& a, const MapsRow& b) {
                return same_field(a, b) && a.maps == "random" && b.maps == "identity";
              }),
          ask(table, "phase", "The phase: DSNN against NSD with the same maps",
              [](const MapsRow& a, const MapsRow& b) {
                return a.family == b.family && a.maps == b.maps && a.field == "dsnn" &&
                       b.field == "nsd";
              })};
}

std::string entry_text(const Entry& entry) {
  if (entry.has_failed) return "failed";
  if (!entry.is_searched) return "not searched";
  if (entry.cells.empty()) return "pending";
  std::string text = score_text(entry.over_splits());
  if (entry.cells.size() > 1) text += fmt::format(" (seeds {:.2f})", entry.deviation_over_seeds());
  return text;
}

Document::Table accuracies(const Table& table) {
  Document::Table result;
  result.header = {"row"};
  std::vector<std::string> columns;
  for (const std::string& column : table.columns()) {
    const bool is_shown = std::ranges::any_of(table.entries(), [&](const Entry& e) {
      return e.column == column && (e.is_searched || e.is_scored());
    });
    if (is_shown) columns.push_back(column);
  }
  result.header.insert(result.header.end(), columns.begin(), columns.end());
  for (const MapsRow& row : maps_rows()) {
    std::vector<Document::TableCell> cells = {plain(row.name)};
    for (const std::string& column : columns) {
      cells.push_back(plain(entry_text(table.at(row, column))));
    }
    result.rows.push_back(std::move(cells));
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
    table.rows.push_back({plain(c.first->column), plain(c.first->row->name),
                          plain(c.second->row->name), plain(fmt::format("{:+.2f}", d.mean)),
                          plain(p_text(d.p)), plain(p_text(d.corrected_p)), plain(p_text(c.holm)),
                          plain(fmt::format("{} / {} / {}", d.wins, d.ties, d.losses))});
  }
  return table;
}

}  // namespace

Document make_maps_report(const Grid& grid, const std::vector<std::uint64_t>& seeds) {
  const Table table(grid, seeds);
  Document document;
  document.title = "Learned, random and identity maps";
  document.add(Document::Paragraph{fmt::format(
      "Test accuracy in percent: mean over splits and seeds, the standard deviation over the "
      "splits "
      "of the mean over the seeds, and that over the seeds. Seeds: {}. Each cell has parameters of "
      "its own, found by a search with the same number of trials.",
      fmt::join(seeds, ", "))});
  document.add(accuracies(table));
  document.add(Document::Paragraph{
      "The comparisons are paired over the splits, whose scores are means over the seeds. p: "
      "two-sided paired t-test; corrected: with the variance correction of Nadeau and Bengio, "
      "because splits share nodes; Holm: also corrected for the number of comparisons of the "
      "question. Beyond noise: in how many comparisons the first is significantly ahead / behind "
      "at "
      "0.05."});
  for (const Question& question : questions(table)) {
    if (question.comparisons.empty()) continue;
    document.add(Document::Heading{question.title});
    document.add(summary_of(question));
    document.add(details_of(question));
  }
  add_footer(document, grid);
  return document;
}

std::string maps_csv(const Grid& grid, const std::vector<std::uint64_t>& seeds) {
  const Table table(grid, seeds);
  std::string text = "dataset,row,model,maps,seeds,mean,std_splits,std_seeds,accuracies\n";
  for (const Entry& entry : table.entries()) {
    if (!entry.is_scored()) continue;
    const MeanAndDeviation score = entry.over_splits();
    text += fmt::format("{},{},{},{},{},{:.4f},{:.4f},{:.4f},{:.4f}\n", entry.column,
                        entry.row->name, entry.row->model, entry.row->maps, entry.cells.size(),
                        score.mean, score.deviation, entry.deviation_over_seeds(),
                        fmt::join(entry.by_split(), " "));
  }
  return text;
}

std::string maps_json(const Grid& grid, const std::vector<std::uint64_t>& seeds) {
  const Table table(grid, seeds);
  Json json = {{"seeds", seeds}, {"cells", Json::array()}, {"questions", Json::object()}};
  for (const Entry& entry : table.entries()) {
    if (!entry.is_searched) continue;
    Json cell = {{"dataset", entry.column}, {"row", entry.row->name}, {"maps", entry.row->maps}};
    cell["state"] = entry.has_failed ? "failed" : entry.cells.empty() ? "pending" : "trained";
    if (entry.is_scored()) {
      cell["mean"] = entry.over_splits().mean;
      cell["std_splits"] = entry.over_splits().deviation;
      cell["std_seeds"] = entry.deviation_over_seeds();
      cell["accuracies"] = entry.by_split();
    }
    json["cells"].push_back(std::move(cell));
  }
  for (const Question& question : questions(table)) {
    Json& list = json["questions"][question.name] = Json::array();
    for (const Comparison& c : question.comparisons) {
      list.push_back({{"dataset", c.first->column},
                      {"first", c.first->row->name},
                      {"second", c.second->row->name},
                      {"difference", c.difference.mean},
                      {"p", c.difference.p},
                      {"corrected_p", c.difference.corrected_p},
                      {"holm", c.holm}});
    }
  }
  return json_text(json) + "\n";
}

}  // namespace dsnn::reproduce
