#include "reproduce/families.h"

#include "reproduce/report.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsnn::reproduce {
namespace {

constexpr double kLevel = 0.05;
constexpr const char* kMaps[] = {"diag", "orth", "gen"};

/// How many comparisons DSNN wins and loses by some p below the level.
template <class GetP>
std::string beyond_noise(const std::vector<const FamilyComparison*>& comparisons, GetP p) {
  int ahead = 0, behind = 0;
  for (const FamilyComparison* c : comparisons) {
    if (p(*c) >= kLevel) continue;
    ++(c->difference.mean > 0 ? ahead : behind);
  }
  return fmt::format("{} / {}", ahead, behind);
}

std::vector<Document::TableCell> summary_row(
    const std::string& name, const std::vector<const FamilyComparison*>& comparisons) {
  int ahead = 0;
  std::vector<double> ours, paper, ours_beside_paper;
  for (const FamilyComparison* c : comparisons) {
    ahead += c->difference.mean > 0;
    ours.push_back(c->difference.mean);
    if (!c->dsnn->paper || !c->rival->paper) continue;
    paper.push_back(c->dsnn->paper->mean - c->rival->paper->mean);
    ours_beside_paper.push_back(c->difference.mean);
  }
  const auto mean_text = [](const std::vector<double>& values) {
    return fmt::format("{:+.2f}", mean_and_deviation(values).mean);
  };
  // Means over different comparisons must not be shown as if they were comparable.
  std::string paper_text = paper.empty() ? "-" : mean_text(paper);
  if (!paper.empty() && paper.size() < ours.size()) {
    paper_text += fmt::format(" in {}, ours there {}", paper.size(), mean_text(ours_beside_paper));
  }
  const auto plain_p = [](const FamilyComparison& c) { return c.difference.p; };
  const auto corrected = [](const FamilyComparison& c) { return c.difference.corrected_p; };
  const auto holm = [](const FamilyComparison& c) { return c.holm; };
  return {plain(name),
          plain(fmt::format("{} of {}", ahead, comparisons.size())),
          plain(beyond_noise(comparisons, plain_p)),
          plain(beyond_noise(comparisons, corrected)),
          plain(beyond_noise(comparisons, holm)),
          plain(mean_text(ours)),
          plain(paper_text)};
}

}  // namespace

std::vector<FamilyComparison> compare_families(const Grid& grid, const std::string& rival) {
  std::vector<FamilyComparison> comparisons;
  for (const std::string& column : grid.columns) {
    for (const std::string maps : kMaps) {
      const Cell* dsnn = grid.scored(maps + "-dsnn", column);
      const Cell* other = grid.scored(maps + "-" + rival, column);
      if (dsnn == nullptr || other == nullptr) continue;
      comparisons.push_back({dsnn, other, maps,
                             paired_difference(dsnn->scores->accuracies, other->scores->accuracies,
                                               dsnn->test_per_train)});
    }
  }
  std::vector<double> p;
  for (const FamilyComparison& c : comparisons) p.push_back(c.difference.corrected_p);
  const std::vector<double> adjusted = holm_adjusted(p);
  for (std::size_t i = 0; i < comparisons.size(); ++i) comparisons[i].holm = adjusted[i];
  return comparisons;
}

void add_families(Document& document, const Grid& grid, const std::string& column_word,
                  const std::string& rival, const std::string& rival_title) {
  const std::vector<FamilyComparison> comparisons = compare_families(grid, rival);
  if (comparisons.empty()) return;
  document.add(Document::Heading{"DSNN against " + rival_title});
  document.add(Document::Paragraph{
      "Paired over the splits. p: two-sided paired t-test; it is too small because the splits "
      "share "
      "nodes. Corrected: with the variance correction of Nadeau and Bengio for this. Holm: also "
      "corrected for the number of comparisons in this table. Beyond noise: the number of "
      "comparisons in which DSNN is significantly ahead / behind at 0.05."});
  Document::Table summary;
  summary.header = {"maps", "DSNN ahead",      "beyond noise by p", "corrected",
                    "Holm", "mean difference", "the paper's"};
  std::vector<const FamilyComparison*> all;
  for (const std::string maps : kMaps) {
    std::vector<const FamilyComparison*> these;
    for (const FamilyComparison& c : comparisons) {
      if (c.maps == maps) these.push_back(&c);
    }
    if (these.empty()) continue;
    summary.rows.push_back(summary_row(maps, these));
    all.insert(all.end(), these.begin(), these.end());
  }
  summary.rows.push_back(summary_row("all", all));
  document.add(std::move(summary));

  Document::Table table;
  table.header = {column_word,   "maps", "DSNN",      rival_title, "DSNN - " + rival_title,
                  "the paper's", "p",    "corrected", "Holm",      "better / equal / worse"};
  for (const FamilyComparison& c : comparisons) {
    const bool is_published = c.dsnn->paper && c.rival->paper;
    table.rows.push_back(
        {plain(c.dsnn->column), plain(c.maps), plain(score_text(c.dsnn->scores->mean())),
         plain(score_text(c.rival->scores->mean())),
         plain(fmt::format("{:+.2f}", c.difference.mean)),
         plain(is_published ? fmt::format("{:+.2f}", c.dsnn->paper->mean - c.rival->paper->mean)
                            : "-"),
         plain(p_text(c.difference.p)), plain(p_text(c.difference.corrected_p)),
         plain(p_text(c.holm)),
         plain(fmt::format("{} / {} / {}", c.difference.wins, c.difference.ties,
                           c.difference.losses))});
  }
  document.add(std::move(table));
}

}  // namespace dsnn::reproduce
