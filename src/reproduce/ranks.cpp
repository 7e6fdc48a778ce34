#include "reproduce/ranks.h"

#include "reproduce/drawing.h"
#include "reproduce/report.h"
#include "util/student.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dsnn::reproduce {
namespace {

constexpr double kLevel = 0.05;

double normal_density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }
double normal_probability(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

/// P(range of `count` standard normal variables > q), by the trapezoidal rule over the smallest...
/// largest of them: count * integral of phi(z) (Phi(z) - Phi(z - q))^(count - 1).
double range_exceeds(std::size_t count, double q) {
  constexpr double kStep = 0.01, kEnd = 9;
  const auto power = static_cast<double>(count - 1);
  double sum = 0;
  for (double z = -kEnd; z <= kEnd + q; z += kStep) {
    sum += normal_density(z) * std::pow(normal_probability(z) - normal_probability(z - q), power);
  }
  return 1 - static_cast<double>(count) * sum * kStep;
}

/// Ranks of the scores, the largest first; ties share the mean of their ranks.
std::vector<double> ranks_of(const std::vector<double>& scores) {
  std::vector<double> ranks;
  for (const double score : scores) {
    const auto better = std::ranges::count_if(scores, [&](double s) { return s > score; });
    const auto equal = std::ranges::count(scores, score);
    ranks.push_back(static_cast<double>(better) + static_cast<double>(equal + 1) / 2);
  }
  return ranks;
}

/// P(F > f) under the F distribution.
double f_exceeds(double f, double first, double second) {
  return incomplete_beta(second / 2, first / 2, second / (second + first * f));
}

/// Groups of neighbouring models, first and last index, whose mean ranks differ by less than the
/// critical difference; a group within another is left out.
std::vector<std::pair<std::size_t, std::size_t>> groups(const Ranks& ranks) {
  std::vector<std::pair<std::size_t, std::size_t>> result;
  std::size_t covered = 0;
  for (std::size_t first = 0; first < ranks.models.size(); ++first) {
    std::size_t last = first;
    while (last + 1 < ranks.models.size() &&
           ranks.models[last + 1].mean_rank - ranks.models[first].mean_rank <
               ranks.critical_difference) {
      ++last;
    }
    if (last > first && last > covered) {
      result.emplace_back(first, last);
      covered = last;
    }
  }
  return result;
}

}  // namespace

double nemenyi_quantile(std::size_t count, double p) {
  double low = 0, high = 20;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (range_exceeds(count, middle) > p ? low : high) = middle;
  }
  return low / std::numbers::sqrt2;
}

std::optional<Ranks> rank_models(const Grid& grid) {
  std::vector<std::string> complete;
  for (const std::string& model : grid.models) {
    if (std::ranges::all_of(grid.columns, [&](const std::string& column) {
          return grid.at(model, column).is_scored();
        })) {
      complete.push_back(model);
    }
  }
  if (complete.size() < 3 || grid.columns.size() < 3) return std::nullopt;
  Ranks result;
  result.num_columns = grid.columns.size();
  const auto k = static_cast<double>(complete.size()), n = static_cast<double>(result.num_columns);
  for (const std::string& model : complete) result.models.push_back({model});
  for (const std::string& column : grid.columns) {
    std::vector<double> scores;
    for (const std::string& model : complete) {
      scores.push_back(grid.at(model, column).scores->mean().mean);
    }
    const std::vector<double> ranks = ranks_of(scores);
    for (std::size_t i = 0; i < ranks.size(); ++i) result.models[i].mean_rank += ranks[i] / n;
  }
  double squares = 0;
  for (const Ranks::Model& model : result.models) squares += model.mean_rank * model.mean_rank;
  const double chi = 12 * n / (k * (k + 1)) * (squares - k * (k + 1) * (k + 1) / 4);
  const double most = n * (k - 1);  // of chi: all columns agree
  result.p = chi >= most ? 0 : f_exceeds((n - 1) * chi / (most - chi), k - 1, (k - 1) * (n - 1));
  result.critical_difference =
      nemenyi_quantile(complete.size(), kLevel) * std::sqrt(k * (k + 1) / (6 * n));
  std::ranges::stable_sort(result.models, {}, &Ranks::Model::mean_rank);
  return result;
}

std::string rank_diagram(const Ranks& ranks) {
  constexpr double kWidth = 960, kLeft = 210, kRight = 210, kAxis = 64, kRow = 22, kGroupRow = 9;
  const auto most = static_cast<double>(ranks.models.size());
  const auto x_of = [&](double rank) {
    return kLeft + (rank - 1) / (most - 1) * (kWidth - kLeft - kRight);
  };
  Drawing drawing;
  drawing.line("axis", x_of(1), kAxis, x_of(most), kAxis);
  for (std::size_t rank = 1; rank <= ranks.models.size(); ++rank) {
    const double x = x_of(static_cast<double>(rank));
    drawing.line("axis", x, kAxis - 5, x, kAxis);
    drawing.text("soft", "middle", x, kAxis - 10, fmt::format("{}", rank));
  }
  // The critical difference, as a length above the axis.
  const double end = x_of(1 + ranks.critical_difference);
  drawing.line("ink-line", x_of(1), 22, end, 22);
  drawing.line("ink-line", x_of(1), 18, x_of(1), 26);
  drawing.line("ink-line", end, 18, end, 26);
  drawing.text("ink", "middle", (x_of(1) + end) / 2, 14,
               fmt::format("critical difference {:.2f}", ranks.critical_difference));
  const auto connected = groups(ranks);
  double y = kAxis + 8;
  for (const auto& [first, last] : connected) {
    drawing.line("ink-line", x_of(ranks.models[first].mean_rank) - 4, y,
                 x_of(ranks.models[last].mean_rank) + 4, y, " style=\"stroke-width:4\"");
    y += kGroupRow;
  }
  // Names at both sides: the better half on the left.
  const std::size_t left = (ranks.models.size() + 1) / 2;
  const double first_row = y + kRow / 2;
  for (std::size_t i = 0; i < ranks.models.size(); ++i) {
    const bool is_left = i < left;
    const std::size_t row = is_left ? i : ranks.models.size() - 1 - i;
    const double x = x_of(ranks.models[i].mean_rank);
    const double row_y = first_row + kRow * static_cast<double>(row);
    const double side = is_left ? kLeft - 20 : kWidth - kRight + 20;
    drawing.line("axis", x, kAxis, x, row_y);
    drawing.line("axis", x, row_y, side, row_y);
    drawing.text("ink", is_left ? "end" : "start", side + (is_left ? -6 : 6), row_y + 4.5,
                 fmt::format("{} {:.2f}", ranks.models[i].name, ranks.models[i].mean_rank));
  }
  return drawing.svg(kWidth, first_row + kRow * static_cast<double>(left),
                     "Mean ranks of the models, with the critical difference");
}

void add_ranks(Document& document, const Grid& grid, const std::string& column_word) {
  const std::optional<Ranks> ranks = rank_models(grid);
  if (!ranks) return;
  document.add(Document::Heading{"Ranks"});
  document.add(Document::Paragraph{fmt::format(
      "Mean ranks of the {} models with results on all {} {}s; 1 is the best. Friedman's test "
      "(Iman "
      "and Davenport's form): p {}. Bars connect models that Nemenyi's test does not tell apart at "
      "{}: their ranks differ by less than {:.2f}.",
      ranks->models.size(), ranks->num_columns, column_word, p_text(ranks->p), kLevel,
      ranks->critical_difference)});
  document.add(Document::Figure{"table1-ranks.svg",
                                "Mean ranks of the models, with the critical difference",
                                rank_diagram(*ranks)});
}

}  // namespace dsnn::reproduce
