#include "ops/options.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

namespace dsnn::ops {
namespace {

template <class Enum, std::size_t kCount>
using Names = std::array<std::pair<Enum, std::string_view>, kCount>;

constexpr Names<MapActivation, 4> kMapActivations = {{{MapActivation::kIdentity, "identity"},
                                                      {MapActivation::kTanh, "tanh"},
                                                      {MapActivation::kElu, "elu"},
                                                      {MapActivation::kRelu, "relu"}}};

constexpr Names<MapFamily, 3> kMapFamilies = {{{MapFamily::kDiagonal, "diagonal"},
                                               {MapFamily::kOrthogonal, "orthogonal"},
                                               {MapFamily::kGeneral, "general"}}};
constexpr Names<Normalisation, 4> kNormalisations = {{{Normalisation::kNone, "none"},
                                                      {Normalisation::kExact, "exact"},
                                                      {Normalisation::kAugmented, "augmented"},
                                                      {Normalisation::kDegree, "degree"}}};
constexpr Names<OrthogonalMethod, 4> kOrthogonalMethods = {
    {{OrthogonalMethod::kHouseholder, "householder"},
     {OrthogonalMethod::kCayley, "cayley"},
     {OrthogonalMethod::kMatrixExp, "matrix_exp"},
     {OrthogonalMethod::kEuler, "euler"}}};
constexpr Names<StalkActivation, 3> kStalkActivations = {{{StalkActivation::kIdentity, "identity"},
                                                          {StalkActivation::kRelu, "relu"},
                                                          {StalkActivation::kElu, "elu"}}};

template <class Enum, std::size_t kCount>
std::string_view name_in(const Names<Enum, kCount>& names, Enum value) {
  for (const auto& [candidate, name] : names) {
    if (candidate == value) return name;
  }
  return "";
}

template <class Enum, std::size_t kCount>
Enum value_in(const Names<Enum, kCount>& names, const Checks& checks, std::string_view argument,
              std::string_view wanted) {
  std::string known;
  for (const auto& [value, name] : names) {
    if (name == wanted) return value;
    known += fmt::format("{}'{}'", known.empty() ? "" : ", ", name);
  }
  checks.fail(fmt::format("{} is '{}', expected one of {}", argument, wanted, known));
}

}  // namespace

std::string_view name_of(MapActivation activation) { return name_in(kMapActivations, activation); }
MapActivation map_activation(const Checks& checks, std::string_view name) {
  return value_in(kMapActivations, checks, "activation", name);
}

std::string_view name_of(MapFamily family) { return name_in(kMapFamilies, family); }
MapFamily map_family(const Checks& checks, std::string_view name) {
  return value_in(kMapFamilies, checks, "family", name);
}

std::string_view name_of(Normalisation normalisation) {
  return name_in(kNormalisations, normalisation);
}
Normalisation normalisation(const Checks& checks, std::string_view name) {
  return value_in(kNormalisations, checks, "normalisation", name);
}

std::string_view name_of(OrthogonalMethod method) { return name_in(kOrthogonalMethods, method); }
OrthogonalMethod orthogonal_method(const Checks& checks, std::string_view name) {
  return value_in(kOrthogonalMethods, checks, "method", name);
}

std::string_view name_of(StalkActivation activation) {
  return name_in(kStalkActivations, activation);
}
StalkActivation stalk_activation(const Checks& checks, std::string_view name) {
  return value_in(kStalkActivations, checks, "activation", name);
}

}  // namespace dsnn::ops
