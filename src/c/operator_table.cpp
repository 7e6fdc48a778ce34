#include "c/operator_table.h"

#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/columns.h"
#include "dsnn/engine/operators/edges.h"
#include "dsnn/engine/operators/linear.h"
#include "dsnn/engine/operators/sheaf.h"
#include "dsnn/engine/operators/sparse.h"
#include "dsnn/sheaf/names.h"
#include "dsnn/util/error.h"

#include "util/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace dsnn::c {
namespace {

using namespace engine;

constexpr EnumName<Function> kFunctions[] = {{Function::kRelu, "relu"},
                                             {Function::kLeakyRelu, "leaky_relu"},
                                             {Function::kElu, "elu"},
                                             {Function::kTanh, "tanh"},
                                             {Function::kSoftplus, "softplus"}};

template <class Enum>
Enum choice(const OperatorSetup& setup, const char* name, std::span<const EnumName<Enum>> names,
            Enum fallback) {
  if (!setup.options.has(name)) return fallback;
  const std::string word = setup.options.text(name, "");
  std::vector<std::string> all;
  for (const EnumName<Enum>& entry : names) {
    if (entry.name == word) return entry.value;
    all.emplace_back(entry.name);
  }
  throw Error(fmt::format("{} is '{}', expected one of {}{}", name, word, fmt::join(all, ", "),
                          did_you_mean(word, all)));
}

template <class Enum>
Enum choice(const OperatorSetup& setup, const char* name, Enum fallback) {
  return choice(setup, name, names_of(fallback), fallback);
}

std::int64_t whole(const OperatorSetup& setup, const char* name, std::int64_t fallback,
                   std::int64_t least) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return setup.options.integer(name, fallback, least, kMost);
}

Dropout dropout(const OperatorSetup& setup) {
  return {setup.options.number("dropout", 0), whole(setup, "place", 0, 0),
          setup.options.flag("merged_planes", false)};
}

OperatorPtr make_orthogonal(const OperatorSetup& setup) {
  return orthogonal_operator(whole(setup, "dim", 1, 1),
                             choice(setup, "method", OrthogonalMethod::kHouseholder));
}

OperatorPtr make_scaled_maps(const OperatorSetup& setup) {
  DiffusionOptions options;
  options.family = choice(setup, "family", options.family);
  options.normalisation = choice(setup, "normalisation", options.normalisation);
  options.fixed.low_pass = setup.options.flag("low_pass", false);
  options.fixed.high_pass = setup.options.flag("high_pass", false);
  return scaled_maps_operator(*setup.graph, options);
}

OperatorPtr make_split(const OperatorSetup& setup) {
  std::vector<std::int64_t> widths = setup.options.integers("widths");
  constexpr std::size_t kMostParts = 64;  // arguments and results are bit masks
  constexpr std::int64_t kMostColumns = std::numeric_limits<std::int32_t>::max();
  if (widths.empty() || widths.size() > kMostParts) {
    throw Error(fmt::format("widths has {} values, expected 1 to {}", widths.size(), kMostParts));
  }
  for (const std::int64_t width : widths) {
    if (width < 0 || width > kMostColumns) {
      throw Error(fmt::format("widths has {}, expected 0 to {}", width, kMostColumns));
    }
  }
  return split_operator(std::move(widths));
}

using Setup = const OperatorSetup&;

const std::vector<OperatorEntry>& entries() {
  static const auto* const instance = new std::vector<OperatorEntry>{
      {"sheaf_maps",
       {"left", "right"},
       true,
       false,
       [](Setup s) {
         return sheaf_maps_operator(*s.graph, choice(s, "activation", MapActivation::kTanh));
       }},
      {"edge_weights",
       {"left", "right"},
       true,
       false,
       [](Setup s) { return edge_weights_operator(*s.graph); }},
      {"orthogonal", {"params"}, false, false, make_orthogonal},
      {"scaled_maps", {"maps", "edge_weights"}, true, false, make_scaled_maps},
      {"scaled_diffusion",
       {"x", "scaled", "diagonal", "charge"},
       true,
       false,
       [](Setup s) { return scaled_diffusion_operator(*s.graph); }},
      {"stalk_linear",
       {"x", "left", "right"},
       false,
       false,
       [](Setup s) { return stalk_linear_operator(dropout(s)); }},
      {"stalk_update",
       {"x", "y", "eps"},
       false,
       false,
       [](Setup s) {
         return stalk_update_operator(choice(s, "activation", StalkActivation::kRelu));
       }},
      {"linear", {"x", "weight", "bias"}, false, false, [](Setup) { return linear_operator(); }},
      {"bias_activation",
       {"x", "bias"},
       false,
       false,
       [](Setup s) {
         return bias_activation_operator(choice(s, "activation", StalkActivation::kRelu),
                                         dropout(s));
       }},
      {"dropout", {"x"}, false, false, [](Setup s) { return dropout_operator(dropout(s)); }},
      {"spmm", {"values", "x"}, false, true, [](Setup s) { return spmm_operator(*s.matrix); }},
      {"sparse_linear",
       {"weight"},
       false,
       true,
       [](Setup s) { return sparse_linear_operator(*s.matrix, dropout(s)); }},
      {"edge_sum",
       {"left", "right"},
       false,
       true,
       [](Setup s) { return edge_sum_operator(*s.matrix); }},
      {"edge_dot",
       {"x", "y"},
       false,
       true,
       [](Setup s) { return edge_dot_operator(*s.matrix, whole(s, "heads", 1, 1)); }},
      {"edge_attention",
       {"left", "right", "weight"},
       false,
       true,
       [](Setup s) { return edge_attention_operator(*s.matrix, s.options.number("slope", 0.2)); }},
      {"edge_softmax",
       {"scores"},
       false,
       true,
       [](Setup s) { return edge_softmax_operator(*s.matrix); }},
      {"edge_spmm",
       {"values", "x"},
       false,
       true,
       [](Setup s) { return edge_spmm_operator(*s.matrix); }},
      {"neighbour_max",
       {"x"},
       false,
       true,
       [](Setup s) { return neighbour_max_operator(*s.matrix); }},
      {"combine",
       {"x", "y"},
       false,
       false,
       [](Setup s) {
         return combine_operator(s.options.number("a", 1), s.options.number("b", 0),
                                 s.options.number("c", 0));
       }},
      {"multiply", {"x", "y"}, false, false, [](Setup) { return multiply_operator(); }},
      {"times_number",
       {"x", "numbers"},
       false,
       false,
       [](Setup s) { return times_number_operator(whole(s, "index", 0, 0)); }},
      {"function",
       {"x"},
       false,
       false,
       [](Setup s) {
         return function_operator(
             choice<Function>(s, "function", std::span(kFunctions), Function::kRelu));
       }},
      {"maximum", {}, false, false, [](Setup) { return maximum_operator(); }},
      {"softmax", {"x"}, false, false, [](Setup) { return softmax_operator(); }},
      {"concat", {}, false, false, [](Setup) { return concat_operator(); }},
      {"split", {"matrix"}, false, false, make_split},
      {"complex_planes",
       {"x"},
       false,
       false,
       [](Setup s) { return complex_planes_operator(s.options.flag("copies_imag", false)); }},
      {"halves", {"x"}, false, false, [](Setup) { return halves_operator(); }},
      {"complex_bias_relu",
       {"x", "bias"},
       false,
       false,
       [](Setup) { return complex_bias_relu_operator(); }},
      {"unit_rows", {"x"}, false, false, [](Setup) { return unit_rows_operator(); }},
      {"sum_middle",
       {"x"},
       false,
       false,
       [](Setup s) { return sum_middle_operator(s.options.number("factor", 1)); }},
      {"head_dot", {"x", "weight"}, false, false, [](Setup) { return head_dot_operator(); }},
  };
  return *instance;
}

}  // namespace

std::span<const OperatorEntry> operator_table() { return entries(); }

const OperatorEntry& find_operator(const std::string& name) {
  std::vector<std::string> names;
  for (const OperatorEntry& entry : entries()) {
    if (entry.name == name) return entry;
    names.emplace_back(entry.name);
  }
  throw Error(fmt::format("there is no operator '{}'{}", name, did_you_mean(name, names)));
}

}  // namespace dsnn::c
