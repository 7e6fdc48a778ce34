#include "dsnn/data/feature_preparation.h"

#include "dsnn/data/degree_features.h"
#include "dsnn/util/error.h"

#include "data/feature_rows.h"
#include "util/index.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

namespace dsnn {
namespace {

using Kind = ColumnPreparation::Kind;

constexpr std::int64_t kManyWords = 32;    // fewer sparse columns are not a bag of words
constexpr double kSparseColumn = 0.25;     // share of non-zeros below which a column counts words
constexpr double kLongTailedSkewness = 2;  // of an exponential distribution

/// The values of one column that matter: those that are stored, and how many zeros are not.
struct Column {
  std::vector<float> stored;
  std::int64_t num_zeros = 0;

  std::int64_t size() const { return std::ssize(stored) + num_zeros; }
  /// f(value) summed over all entries.
  template <class F>
  double sum(const F& f) const {
    double total = num_zeros > 0 ? static_cast<double>(num_zeros) * f(0.0) : 0.0;
    for (const float x : stored) total += f(static_cast<double>(x));
    return total;
  }
  template <class F>
  bool all(const F& holds) const {
    return std::ranges::all_of(stored, [&](float x) { return holds(static_cast<double>(x)); });
  }
};

std::vector<Column> columns_of(const Features& features) {
  std::vector<Column> columns(at(features.num_columns));
  for_entries(features, [&](std::int64_t, std::int64_t column, float value) {
    if (value != 0) columns[at(column)].stored.push_back(value);
  });
  for (Column& column : columns) column.num_zeros = features.num_rows - std::ssize(column.stored);
  return columns;
}

struct Moments {
  double mean = 0, deviation = 1, skewness = 0;
};

template <class F>
Moments moments_of(const Column& column, const F& f) {
  const auto count = static_cast<double>(std::max<std::int64_t>(column.size(), 1));
  Moments m;
  m.mean = column.sum(f) / count;
  const double variance =
      column.sum([&](double x) { return (f(x) - m.mean) * (f(x) - m.mean); }) / count;
  m.deviation = std::sqrt(variance);
  // A constant column becomes 0 rather than noise of its rounding.
  if (m.deviation <= 1e-6 * std::abs(m.mean) || m.deviation < 1e-30) m.deviation = 0;
  if (m.deviation == 0) return m;
  m.skewness =
      column.sum([&](double x) { return std::pow((f(x) - m.mean) / m.deviation, 3); }) / count;
  return m;
}

double identity(double x) { return x; }

/// The median of the positive values: the unit u of log(1 + x / u) for long-tailed columns.
double positive_median(const Column& column) {
  std::vector<float> values = column.stored;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return static_cast<double>(*middle);
}

ColumnPreparation standard(const Column& column, bool may_take_logarithm) {
  ColumnPreparation result;
  result.kind = Kind::kStandard;
  Moments moments = moments_of(column, identity);
  // Infinite values, or values too large to square, have no scale.
  if (!std::isfinite(moments.mean) || !std::isfinite(moments.deviation)) return {};
  const bool is_positive = column.all([](double x) { return x >= 0; });
  if (may_take_logarithm && is_positive && moments.skewness > kLongTailedSkewness) {
    result.kind = Kind::kLogStandard;
    result.unit = positive_median(column);
    moments = moments_of(column, [&](double x) { return std::log1p(x / result.unit); });
  }
  result.mean = moments.mean;
  result.deviation = moments.deviation > 0 ? moments.deviation : 1;
  return result;
}

/// The column before the = of "column=value"; empty for other names.
std::string_view category_of(const std::string& name) {
  const std::size_t end = name.find('=');
  return end == std::string::npos ? std::string_view() : std::string_view(name).substr(0, end);
}

bool is_zero_or_one(const Column& column) {
  return column.all([](double x) { return x == 0 || x == 1; });
}

bool counts_words(const Column& column) {
  return column.all([](double x) { return x >= 0; }) &&
         static_cast<double>(column.stored.size()) <
             kSparseColumn * static_cast<double>(column.size());
}

std::vector<ColumnPreparation> prepare_columns(const Dataset& dataset, FeatureScale scale) {
  const std::vector<Column> columns = columns_of(dataset.features);
  const bool has_names = std::ssize(dataset.feature_names) == dataset.features.num_columns;
  const auto is_category = [&](std::size_t i) {
    return has_names && !category_of(dataset.feature_names[i]).empty();
  };
  std::vector<ColumnPreparation> result(columns.size());
  std::vector<std::size_t> words;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (is_category(i)) continue;
    if (scale == FeatureScale::kAuto && counts_words(columns[i])) {
      words.push_back(i);
    }
    if (is_zero_or_one(columns[i])) continue;
    result[i] = standard(columns[i], scale == FeatureScale::kAuto);
  }
  if (std::ssize(words) >= kManyWords) {
    for (const std::size_t i : words) result[i] = {.kind = Kind::kRowShare};
  }
  if (!has_names) return result;
  std::map<std::string_view, std::size_t> missing;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = dataset.feature_names[i];
    if (name.ends_with(kMissingSuffix)) missing[category_of(name)] = i;
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto found = missing.find(dataset.feature_names[i]);
    if (found != missing.end()) {
      result[i].missing_column = static_cast<std::int64_t>(found->second);
      result[i].fill = moments_of(columns[i], identity).mean;
    }
  }
  return result;
}

double transformed(const ColumnPreparation& column, double x) {
  switch (column.kind) {
    case Kind::kKeep:
    case Kind::kRowShare:
      return x;
    case Kind::kStandard:
      return (x - column.mean) / column.deviation;
    case Kind::kLogStandard:
      // Another graph may have negative values here: they count as 0.
      return (std::log1p(std::max(x, 0.0) / column.unit) - column.mean) / column.deviation;
  }
  return x;
}

/// One row after the other, in full; what is 0 is left out where the result is sparse.
class RowWriter {
 public:
  RowWriter(std::int64_t num_rows, std::int64_t num_columns, bool is_sparse) {
    result_.num_rows = num_rows;
    result_.num_columns = num_columns;
    is_sparse_ = is_sparse;
    if (is_sparse) result_.offsets.push_back(0);
  }
  void add(const std::vector<double>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto value = static_cast<float>(row[i]);
      if (is_sparse_ && value == 0) continue;
      if (is_sparse_) result_.columns.push_back(static_cast<std::int32_t>(i));
      result_.values.push_back(value);
    }
    if (is_sparse_) result_.offsets.push_back(std::ssize(result_.values));
  }
  Features take() { return std::move(result_); }

 private:
  Features result_;
  bool is_sparse_ = false;
};

double log_degree(NodeId degree) { return std::log1p(static_cast<double>(degree)); }

ColumnPreparation degree_column(const DirectedGraph& graph, bool is_out) {
  Column column;
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    column.stored.push_back(
        static_cast<float>(log_degree(is_out ? graph.out_degree(u) : graph.in_degree(u))));
  }
  return standard(column, false);
}

/// "age, balance, ... (12)", by names where there are some.
std::string shown(const std::vector<std::string>& names, const std::vector<std::size_t>& columns) {
  constexpr std::size_t kMostNames = 4;
  if (names.empty()) return "";
  std::vector<std::string> texts;
  for (const std::size_t i : columns) {
    const std::string_view category = category_of(names[i]);
    std::string text = category.empty() ? names[i] : std::string(category);
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  }
  const bool has_more = texts.size() > kMostNames;
  if (has_more) texts.resize(kMostNames);
  return fmt::format(" ({}{})", fmt::join(texts, ", "), has_more ? ", ..." : "");
}

}  // namespace

FeaturePreparation FeaturePreparation::fit(const Dataset& dataset, FeatureScale scale,
                                           DegreeColumns degrees) {
  FeaturePreparation result;
  const bool is_known = dataset.usual_scale != FeatureScale::kAuto;
  result.adds_degrees =
      degrees == DegreeColumns::kYes ||
      (degrees == DegreeColumns::kAuto && !is_known && !has_degree_features(dataset) &&
       dataset.features.num_columns < kFewFeatures);
  if (scale == FeatureScale::kAuto) scale = dataset.usual_scale;
  if (scale == FeatureScale::kRows) {
    result.smallest = smallest_value(dataset.features);
  } else if (scale != FeatureScale::kNone && !dataset.features.empty()) {
    result.columns = prepare_columns(dataset, scale);
    const bool keeps_all = std::ranges::all_of(result.columns, [](const ColumnPreparation& c) {
      return c.kind == Kind::kKeep && c.missing_column < 0;
    });
    if (keeps_all) result.columns.clear();
  }
  if (result.adds_degrees) {
    result.out_degree = degree_column(dataset.graph, true);
    result.in_degree = degree_column(dataset.graph, false);
  }
  return result;
}

std::int64_t FeaturePreparation::num_prepared(std::int64_t num_columns) const {
  return num_columns + (adds_degrees ? 2 : 0);
}

Features FeaturePreparation::apply(const DirectedGraph& graph, const Features& features) const {
  std::vector<NodeId> out_degrees(at(graph.num_nodes())), in_degrees(out_degrees);
  for (NodeId u = 0; u < graph.num_nodes() && adds_degrees; ++u) {
    out_degrees[at(u)] = graph.out_degree(u);
    in_degrees[at(u)] = graph.in_degree(u);
  }
  return apply(features, out_degrees, in_degrees);
}

Features FeaturePreparation::apply(const Features& features, std::span<const NodeId> out_degrees,
                                   std::span<const NodeId> in_degrees) const {
  if (!columns.empty() && std::ssize(columns) != features.num_columns) {
    throw Error(fmt::format("the graph has {} features, but the preparation was fitted to {}",
                            features.num_columns, columns.size()));
  }
  if (smallest && !adds_degrees) return normalise_rows(features, *smallest);
  const Features given = smallest ? normalise_rows(features, *smallest) : Features();
  const Features& from = smallest ? given : features;
  const std::int64_t num_columns = num_prepared(features.num_columns);
  const std::int64_t num_rows = std::ssize(out_degrees);
  // Few columns are dense whatever they hold; many keep their form.
  const bool is_sparse = from.is_sparse() && num_columns >= kManyWords;
  RowWriter writer(num_rows, num_columns, is_sparse);
  std::vector<double> row(at(num_columns));
  for (std::int64_t u = 0; u < num_rows; ++u) {
    std::ranges::fill(row, 0.0);
    for_row(from, u, [&](std::int64_t column, float value) { row[at(column)] = value; });
    double words = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].kind == Kind::kRowShare) words += row[i];
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const ColumnPreparation& column = columns[i];
      if (column.kind == Kind::kRowShare) row[i] /= std::max(words, 1.0);
      const bool is_missing = column.missing_column >= 0 && row[at(column.missing_column)] != 0;
      row[i] = transformed(column, is_missing ? column.fill : row[i]);
    }
    if (adds_degrees) {
      row[at(num_columns - 2)] = transformed(out_degree, log_degree(out_degrees[at(u)]));
      row[at(num_columns - 1)] = transformed(in_degree, log_degree(in_degrees[at(u)]));
    }
    writer.add(row);
  }
  Features result = writer.take();
  return result.is_sparse() && result.density() >= 0.5 ? result.to_dense() : result;
}

std::string FeaturePreparation::description(const std::vector<std::string>& names) const {
  std::vector<std::string> parts;
  if (smallest) parts.emplace_back("each row divided by its sum");
  const auto add = [&](Kind kind, const char* text) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].kind == kind) found.push_back(i);
    }
    if (found.empty()) return;
    parts.push_back(fmt::format("{} column{} {}{}", found.size(), found.size() == 1 ? "" : "s",
                                text, shown(names, found)));
  };
  add(Kind::kStandard, "standardised");
  add(Kind::kLogStandard, "standardised after a logarithm");
  add(Kind::kRowShare, "of counts divided by the row sum");
  if (!columns.empty()) add(Kind::kKeep, "as given");
  if (adds_degrees) parts.emplace_back("out-degree and in-degree added (logarithm, standardised)");
  return parts.empty() ? "as given" : fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace dsnn
