#include "reproduce/seeds.h"

#include "reproduce/columns_by.h"
#include "reproduce/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace dsnn::reproduce {

std::map<std::string, std::vector<std::uint64_t>> table1_seeds() {
  std::map<std::string, std::vector<std::uint64_t>> seeds;
  for (const char* column : {"texas", "wisconsin", "cornell", "cornell_corrected",
                             "chameleon_filtered", "chameleon_filtered_directed"}) {
    seeds[column] = {1, 2, 3};
  }
  return seeds;
}

std::string seeds_score_text(const CellScores& scores) {
  std::string text = score_text(scores.mean());
  if (scores.seed_means.size() > 1) {
    text += fmt::format(" (seeds {:.2f})", scores.deviation_over_seeds());
  }
  return scores.is_of_search ? text + " (search)" : text;
}

std::string seeds_text(const Grid& grid) {
  // That of the search is a different one in each cell.
  using Key = std::pair<bool, std::vector<std::uint64_t>>;
  const auto names = columns_by(grid, [](const Cell& cell) {
    const bool is_of_search = cell.scores->is_of_search;
    return Key(is_of_search, is_of_search ? std::vector<std::uint64_t>() : cell.scores->seeds);
  });
  std::vector<std::string> parts;
  for (const auto& [key, columns] : names) {
    const auto& [is_of_search, seeds] = key;
    if (is_of_search || seeds.empty()) continue;
    parts.push_back(fmt::format("{} {} on {}", seeds.size() == 1 ? "seed" : "seeds",
                                fmt::join(seeds, ", "), fmt::join(columns, ", ")));
  }
  std::string text;
  if (!parts.empty()) {
    text = fmt::format(
        "Trained with seeds that the search has not seen: {}. Of several seeds, a split counts "
        "with "
        "their mean; the deviation of the means of the seeds is in parentheses.",
        fmt::join(parts, "; "));
  }
  const auto searched = names.find(Key(true, {}));
  if (searched == names.end()) return text;
  return fmt::format(
      "{}{}(search): not trained with such a seed yet, so the score is that of the seed which the "
      "search chose: {}.",
      text, text.empty() ? "" : " ", fmt::join(searched->second, ", "));
}

}  // namespace dsnn::reproduce
