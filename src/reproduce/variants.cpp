#include "reproduce/variants.h"

#include "dsnn/nn/model.h"

#include "reproduce/families.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace dsnn::reproduce {
namespace {

/// The neighbours of each node, regardless of direction.
bool have_same_pairs(const DirectedGraph& first, const DirectedGraph& second) {
  return std::ranges::equal(first.row_offsets(), second.row_offsets()) &&
         std::ranges::equal(first.neighbours(), second.neighbours());
}

/// A model on both datasets of a pair.
struct Comparison {
  const Cell& published;
  const Cell& corrected;
  std::optional<Difference> difference;  ///< once both are trained
  double holm = 1;  ///< its corrected p, also corrected for the number of comparisons
};

std::vector<Comparison> compare(const Grid& grid, const VariantReport& report) {
  std::vector<Comparison> comparisons;
  std::vector<double> p;
  for (std::size_t i = 0; i < report.pairs.size(); ++i) {
    const VariantPair& pair = report.pairs[i];
    for (const std::string& model : grid.models) {
      if (!grid.at(model, pair.counterpart).config) continue;
      Comparison c = {grid.at(model, pair.published()), grid.at(model, pair.corrected()), {}};
      if (c.published.is_scored() && c.corrected.is_scored()) {
        const auto& first = c.corrected.scores->accuracies;
        const auto& second = c.published.scores->accuracies;
        const double ratio = c.corrected.test_per_train;
        c.difference = report.is_paired[i] ? paired_difference(first, second, ratio)
                                           : unpaired_difference(first, second, ratio);
        p.push_back(c.difference->corrected_p);
      }
      comparisons.push_back(std::move(c));
    }
  }
  const std::vector<double> adjusted = holm_adjusted(p);
  auto next = adjusted.begin();
  for (Comparison& c : comparisons) {
    if (c.difference) c.holm = *next++;
  }
  return comparisons;
}

const char* kind_of(const Difference& difference) {
  return difference.is_paired ? "paired" : "unpaired";
}

std::string ours_text(const Cell& cell) {
  if (cell.is_scored()) return score_text(cell.scores->mean());
  return cell.has_failed() ? "failed" : cell.is_pending() ? "pending" : "-";
}

/// "mean,std", or as many empty fields.
std::string csv_fields(const std::optional<MeanAndDeviation>& score) {
  return score ? fmt::format("{:.4f},{:.4f}", score->mean, score->deviation) : ",";
}

std::optional<MeanAndDeviation> ours(const Cell& cell) {
  if (!cell.is_scored()) return std::nullopt;
  return cell.scores->mean();
}

}  // namespace

std::span<const VariantPair> variant_pairs() {
  static const VariantPair pairs[] = {
      {"cornell", "cornell_corrected",
       "the first has the features and labels of texas on the graph of cornell, as published and "
       "used for years; the second has those of cornell",
       false},
      {"squirrel_filtered", "squirrel_filtered_directed",
       "the first lists each pair of neighbours once, in an arbitrary order that is then read as a "
       "direction; the second has the directions of the links",
       false},
      {"chameleon_filtered", "chameleon_filtered_directed",
       "the first lists each pair of neighbours once, in an arbitrary order that is then read as a "
       "direction; the second has the directions of the links",
       false},
      {"citeseer", "citeseer_repo_split",
       "the first has stratified splits; the second has splits by the rule of the paper's program, "
       "which puts one class entirely into the training sets",
       true},
      {"cora", "cora_repo_order",
       "the first has the usual splits on the nodes they were made for; the second applies them to "
       "nodes in a different order, as the paper's program does",
       true}};
  return pairs;
}

std::vector<std::string> variant_models() {
  std::vector<std::string> names;
  for (const nn::ModelEntry& entry : nn::model_registry()) {
    if (entry.family.starts_with("DSNN") || entry.family.starts_with("NSD")) {
      names.push_back(entry.name);
    }
  }
  return names;
}

bool have_same_nodes(const Dataset& first, const Dataset& second) {
  const auto is_same_split = [](const Split& a, const Split& b) {
    return a.train == b.train && a.validation == b.validation && a.test == b.test;
  };
  return std::ranges::equal(first.splits, second.splits, is_same_split) &&
         (have_same_pairs(first.graph, second.graph) || first.labels == second.labels);
}

void compare_published_with_paper(Grid& grid, std::span<const VariantPair> pairs) {
  for (const VariantPair& pair : pairs) {
    if (!pair.counterpart_is_published) continue;
    for (const std::string& model : grid.models) {
      std::swap(grid.at(model, pair.dataset).paper, grid.at(model, pair.counterpart).paper);
    }
  }
}

Document make_variant_report(const Grid& grid, const VariantReport& report) {
  Document document;
  document.title = "The same models on two versions of a dataset";
  document.add(Document::Paragraph{
      "Test accuracy in percent on a dataset as the paper's program uses it and as it should be, "
      "with the same parameters unless configs/table1 has separate ones. The mark compares the "
      "published version with the paper's result. The difference is corrected minus published. "
      "Paired: the splits contain the same nodes, and p is from a paired t-test; unpaired: they do "
      "not, and p is from Welch's test. Both include the variance correction of Nadeau and Bengio "
      "for splits that share nodes; Holm: also corrected for the number of comparisons in this "
      "table."});
  Document::Table table;
  table.header = {"as published", "as it should be", "model", "published", "paper",     "mark",
                  "corrected",    "difference",      "p",     "Holm",      "comparison"};
  for (const Comparison& c : compare(grid, report)) {
    const auto& paper = c.published.paper;
    const auto mark = c.published.mark();
    std::vector<Document::TableCell> row = {plain(c.published.column),
                                            plain(c.corrected.column),
                                            plain(c.published.model),
                                            plain(ours_text(c.published)),
                                            plain(paper ? score_text(*paper) : "-"),
                                            plain(mark ? to_text(*mark) : "-"),
                                            plain(ours_text(c.corrected))};
    if (c.difference) {
      for (std::string text : {fmt::format("{:+.2f}", c.difference->mean),
                               p_text(c.difference->corrected_p), p_text(c.holm)}) {
        row.push_back(plain(std::move(text)));
      }
      row.push_back(plain(kind_of(*c.difference)));
    } else {
      row.insert(row.end(), 4, plain("-"));
    }
    table.rows.push_back(std::move(row));
  }
  document.add(std::move(table));
  for (const VariantPair& pair : report.pairs) {
    document.add(
        Document::Paragraph{fmt::format("{}, {}: {}.", pair.dataset, pair.counterpart, pair.what)});
  }
  add_families(document, grid, "dataset", "nsd", "NSD");
  add_families(document, grid, "dataset", "nsd-compl", "NSD-Compl");
  return document;
}

std::string variant_csv(const Grid& grid, const VariantReport& report) {
  std::string text =
      "published,corrected,model,published_mean,published_std,corrected_mean,corrected_std,"
      "paper_mean,paper_std,mark,difference,p,holm,comparison,published_accuracies,"
      "corrected_accuracies\n";
  for (const Comparison& c : compare(grid, report)) {
    const auto mark = c.published.mark();
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{}\n", c.published.column, c.corrected.column,
        c.published.model, csv_fields(ours(c.published)), csv_fields(ours(c.corrected)),
        csv_fields(c.published.paper), mark ? to_text(*mark) : "",
        c.difference ? fmt::format("{:.4f},{:.6g},{:.6g},{}", c.difference->mean,
                                   c.difference->corrected_p, c.holm, kind_of(*c.difference))
                     : ",,,",
        accuracies_text(c.published), accuracies_text(c.corrected));
  }
  return text;
}

}  // namespace dsnn::reproduce
