#include "reproduce/ensembles.h"

#include "dsnn/util/error.h"

#include "reproduce/paired_test.h"
#include "reproduce/report.h"
#include "reproduce/seeds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace dsnn::reproduce {
namespace {

namespace fs = std::filesystem;

const Cell* best_by_validation(const Grid& table, const std::string& column) {
  const Cell* best = nullptr;
  for (const Cell& cell : table.cells) {
    if (cell.column != column || !cell.is_selected || !cell.is_scored()) continue;
    if (best == nullptr || cell.scores->validation > best->scores->validation) best = &cell;
  }
  return best;
}

Cell ensemble_of(const Cell& single, const EnsembleOptions& options) {
  Cell cell;
  cell.model = single.model;
  cell.column = single.column;
  cell.config = single.config;
  cell.members = kEnsembleMembers;
  cell.paper = single.paper;
  cell.stored = options.results / cell.column / (cell.model + ".json");
  for (const std::uint64_t seed : options.seeds) {
    cell.runs.push_back({seed, run_folder(options.out, seed, cell.column, cell.model)});
  }
  return cell;
}

/// An ensemble minus the mean of its single networks; nothing if either is not trained.
struct Comparison {
  const Cell* ensemble;
  const Cell* single;  // may be null
  std::optional<Difference> difference;
  double holm = 1;
};

std::vector<Comparison> compare(const Grid& ensembles, const Grid& table) {
  std::vector<Comparison> comparisons;
  std::vector<double> p;
  for (const Cell& cell : ensembles.cells) {
    if (!cell.config) continue;
    Comparison c = {&cell, table.scored(cell.model, cell.column), {}};
    if (cell.is_scored() && c.single != nullptr) {
      c.difference = paired_difference(cell.scores->accuracies, c.single->scores->accuracies,
                                       cell.test_per_train);
      p.push_back(c.difference->corrected_p);
    }
    comparisons.push_back(c);
  }
  const std::vector<double> adjusted = holm_adjusted(p);
  auto next = adjusted.begin();
  for (Comparison& c : comparisons) {
    if (c.difference) c.holm = *next++;
  }
  return comparisons;
}

/// The best mean of the paper in a column: "87.30 +- 2.10 (gen-dsnn)".
std::string best_of_paper(const Grid& table, const std::string& column) {
  const Cell* best = nullptr;
  for (const Cell& cell : table.cells) {
    if (cell.column != column || !cell.paper) continue;
    if (best == nullptr || cell.paper->mean > best->paper->mean) best = &cell;
  }
  return best == nullptr ? "-" : fmt::format("{} ({})", score_text(*best->paper), best->model);
}

}  // namespace

Grid plan_ensembles(const Grid& table, const EnsembleOptions& options) {
  Grid grid;
  grid.columns = table.columns;
  for (const std::string& column : table.columns) {
    for (const Cell& cell : table.cells) {
      const bool is_chosen = options.is_stored
                                 ? fs::exists(options.results / column / (cell.model + ".json"))
                                 : &cell == best_by_validation(table, column);
      if (cell.column != column || !cell.config || !cell.is_selected || !is_chosen) continue;
      grid.cells.push_back(ensemble_of(cell, options));
      add_once(grid.models, cell.model);
    }
  }
  if (grid.cells.empty()) {
    throw Error(
        options.is_stored
            ? fmt::format("{}: contains no ensemble", options.results.string())
            : "no model is trained on the selected datasets: first train the table, with the "
              "same command without --ensembles");
  }
  // A grid has a cell for each model and column.
  const std::vector<Cell> chosen = std::move(grid.cells);
  grid.cells.clear();
  for (const std::string& column : grid.columns) {
    for (const std::string& model : grid.models) {
      Cell cell;
      cell.model = model;
      cell.column = column;
      cell.is_selected = false;
      for (const Cell& each : chosen) {
        if (each.model == model && each.column == column) cell = each;
      }
      grid.cells.push_back(std::move(cell));
    }
  }
  return grid;
}

Document make_ensembles_report(const Grid& ensembles, const Grid& table) {
  Document document;
  document.title = "Ensembles of the best model of each dataset";
  document.add(Document::Paragraph{fmt::format(
      "Test accuracy in percent, mean and standard deviation over the splits. The model of each "
      "dataset is the one with the best validation accuracy in Table 1; its ensemble averages the "
      "probabilities of {} networks that differ in their seeds. One network: the same model in "
      "Table 1, of several seeds their mean. The difference is paired over the splits; p: "
      "corrected for splits that share "
      "nodes; "
      "Holm: also for the number of comparisons.",
      kEnsembleMembers)});
  Document::Table rows;
  rows.header = {"dataset",    "model", "one network", "ensemble",
                 "difference", "p",     "Holm",        "the paper's best"};
  for (const Comparison& c : compare(ensembles, table)) {
    const Cell& cell = *c.ensemble;
    std::vector<Document::TableCell> row = {plain(cell.column), plain(cell.model)};
    row.push_back(plain(c.single == nullptr ? "-" : seeds_score_text(*c.single->scores)));
    row.push_back(plain(cell.has_failed()  ? "failed"
                        : cell.is_scored() ? score_text(cell.scores->mean())
                                           : "pending"));
    for (std::string text :
         {c.difference ? fmt::format("{:+.2f}", c.difference->mean) : std::string("-"),
          c.difference ? p_text(c.difference->corrected_p) : std::string("-"),
          c.difference ? p_text(c.holm) : std::string("-")}) {
      row.push_back(plain(std::move(text)));
    }
    row.push_back(plain(best_of_paper(table, cell.column)));
    rows.rows.push_back(std::move(row));
  }
  document.add(std::move(rows));
  const bool has_searched = std::ranges::any_of(ensembles.cells, [&](const Cell& cell) {
    const Cell* single = table.scored(cell.model, cell.column);
    return cell.config && single != nullptr && single->scores->is_of_search;
  });
  if (has_searched) {
    document.add(
        Document::Paragraph{"(search): the one network has the seed that the search chose; it is "
                            "not trained with others "
                            "yet."});
  }
  add_footer(document, ensembles);
  return document;
}

std::string ensembles_csv(const Grid& ensembles, const Grid& table) {
  std::string text =
      "dataset,model,one_mean,one_std,ensemble_mean,ensemble_std,difference,p,holm,"
      "one_accuracies,ensemble_accuracies\n";
  for (const Comparison& c : compare(ensembles, table)) {
    if (!c.difference) continue;
    const MeanAndDeviation one = c.single->scores->mean(), all = c.ensemble->scores->mean();
    text += fmt::format("{},{},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{:.6g},{:.6g},{},{}\n",
                        c.ensemble->column, c.ensemble->model, one.mean, one.deviation, all.mean,
                        all.deviation, c.difference->mean, c.difference->corrected_p, c.holm,
                        accuracies_text(*c.single), accuracies_text(*c.ensemble));
  }
  return text;
}

}  // namespace dsnn::reproduce
