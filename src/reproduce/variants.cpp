#include "reproduce/variants.h"

#include "dsnn/nn/model.h"

#include "reproduce/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dsnn::reproduce {
namespace {

/// The neighbours of each node, whatever the direction.
bool have_same_pairs(const DirectedGraph& first, const DirectedGraph& second) {
  return std::ranges::equal(first.row_offsets(), second.row_offsets()) &&
         std::ranges::equal(first.neighbours(), second.neighbours());
}

/// A model on both of a pair.
struct Comparison {
  const Cell& published;
  const Cell& corrected;
  const std::optional<MeanAndDeviation>& paper;
  std::optional<Difference> difference;  ///< once both are trained
};

template <class Visit>
void for_each_comparison(const Grid& grid, const VariantReport& report, const Visit& visit) {
  for (std::size_t i = 0; i < report.pairs.size(); ++i) {
    const VariantPair& pair = report.pairs[i];
    for (const std::string& model : grid.models) {
      if (!grid.at(model, pair.counterpart).config) continue;
      Comparison comparison = {grid.at(model, pair.published()), grid.at(model, pair.corrected()),
                               grid.at(model, pair.dataset).paper, std::nullopt};
      if (comparison.published.is_scored() && comparison.corrected.is_scored()) {
        const auto& first = comparison.corrected.scores->accuracies;
        const auto& second = comparison.published.scores->accuracies;
        comparison.difference = report.is_paired[i] ? paired_difference(first, second)
                                                    : unpaired_difference(first, second);
      }
      visit(comparison);
    }
  }
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
       "the first has the features and labels of texas on the graph of cornell, as it was "
       "published and used for years; the second has its own",
       false},
      {"squirrel_filtered", "squirrel_filtered_directed",
       "the first lists each pair of neighbours once, in an order of no meaning, which is then "
       "taken for a direction; the second has the directions of the links",
       false},
      {"chameleon_filtered", "chameleon_filtered_directed",
       "the first lists each pair of neighbours once, in an order of no meaning, which is then "
       "taken for a direction; the second has the directions of the links",
       false},
      {"citeseer", "citeseer_repo_split",
       "the first has stratified splits; the second has splits by the rule of the paper's program, "
       "which leaves one class to training alone",
       true},
      {"cora", "cora_repo_order",
       "the first has the usual splits on the nodes they were made for; the second applies them to "
       "nodes in another order, as the paper's program does",
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

Document make_variant_report(const Grid& grid, const VariantReport& report,
                             const Circumstances& circumstances) {
  Document document;
  document.title = "The same models on two versions of a dataset";
  document.add(Document::Paragraph{
      "Test accuracy in percent on a dataset as the paper's program uses it and as it should be, "
      "with the same parameters unless configs/table1 has some for each. The mark is that of the "
      "published version beside the paper's number. The difference is corrected minus published; "
      "paired: the splits are of the same nodes, so p is that of a paired t-test; unpaired: they "
      "are not, and p is that of Welch's test."});
  Document::Table table;
  table.header = {"as published", "as it should be", "model",      "published", "paper",
                  "mark",         "corrected",       "difference", "p",         "comparison"};
  for_each_comparison(grid, report, [&](const Comparison& c) {
    const bool has_mark = c.published.is_scored() && c.paper;
    table.rows.push_back(
        {plain(c.published.column), plain(c.corrected.column), plain(c.published.model),
         plain(ours_text(c.published)), plain(c.paper ? score_text(*c.paper) : "-"),
         plain(has_mark ? to_text(mark_of(c.published.scores->mean().mean, *c.paper)) : "-"),
         plain(ours_text(c.corrected)),
         plain(c.difference ? fmt::format("{:+.2f}", c.difference->mean) : "-"),
         plain(c.difference ? p_text(c.difference->p) : "-"),
         plain(c.difference ? kind_of(*c.difference) : "-")});
  });
  document.add(std::move(table));
  for (const VariantPair& pair : report.pairs) {
    document.add(
        Document::Paragraph{fmt::format("{}, {}: {}.", pair.dataset, pair.counterpart, pair.what)});
  }
  add_families(document, grid, "dataset", "nsd", "NSD");
  add_footer(document, grid, circumstances);
  return document;
}

std::string variant_csv(const Grid& grid, const VariantReport& report) {
  std::string text =
      "published,corrected,model,published_mean,published_std,corrected_mean,corrected_std,"
      "paper_mean,paper_std,difference,p,comparison\n";
  for_each_comparison(grid, report, [&](const Comparison& c) {
    text += fmt::format("{},{},{},{},{},{},{}\n", c.published.column, c.corrected.column,
                        c.published.model, csv_fields(ours(c.published)),
                        csv_fields(ours(c.corrected)), csv_fields(c.paper),
                        c.difference ? fmt::format("{:.4f},{:.6g},{}", c.difference->mean,
                                                   c.difference->p, kind_of(*c.difference))
                                     : ",,");
  });
  return text;
}

}  // namespace dsnn::reproduce
