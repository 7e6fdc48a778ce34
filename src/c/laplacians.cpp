#include "dsnn/sheaf/laplacian.h"
#include "dsnn/sheaf/names.h"
#include "dsnn/spectral/eigenpairs.h"
#include "dsnn/verify/theorems.h"

#include "c/arrays.h"
#include "c/graphs.h"
#include "c/options.h"
#include "c/progress.h"
#include "util/json_text.h"
#include "util/suggest.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

namespace dsnn::c {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kDefaultCharge = 0.25;

Handles<dsnn_blocks, const BlockSparseMatrix>& blocks_handles() {
  static auto* const instance = new Handles<dsnn_blocks, const BlockSparseMatrix>("matrix");
  return *instance;
}

struct Spectrum {
  Eigenpairs pairs;
  std::int64_t size = 0;
};

Handles<dsnn_spectrum, const Spectrum>& spectra() {
  static auto* const instance = new Handles<dsnn_spectrum, const Spectrum>("spectrum");
  return *instance;
}

std::string one_of(Options& options, const char* name, const std::vector<std::string>& words) {
  const std::string word = options.text(name, words.front());
  if (std::find(words.begin(), words.end(), word) != words.end()) return word;
  throw Error(fmt::format("{} is '{}', expected one of {}{}", name, word, fmt::join(words, ", "),
                          did_you_mean(word, words)));
}

/// Complex numbers from real and imaginary parts. Throws Error unless all are finite.
std::vector<Complex> complex_maps(const dsnn_array* real, const dsnn_array* imag) {
  const std::vector<double> re = numbers(real, "maps_real");
  std::vector<double> im(re.size());
  if (imag != nullptr) im = numbers(imag, "maps_imag");
  check_room(std::ssize(im), std::ssize(re), "maps_imag");
  std::vector<Complex> maps(re.size());
  for (std::size_t i = 0; i < maps.size(); ++i) {
    if (!std::isfinite(re[i]) || !std::isfinite(im[i])) {
      throw Error(fmt::format("maps: value {} is not finite", i));
    }
    maps[i] = {re[i], im[i]};
  }
  return maps;
}

/// A sheaf and the normalisation of its Laplacian.
struct Setup {
  std::string kind;
  std::optional<double> charge;
  Normalisation normalisation = Normalisation::kNone;
  SheafOptions sheaf;
};

Setup read_setup(Options& options, bool has_maps, bool is_complex) {
  Setup setup;
  setup.kind = one_of(options, "sheaf", {"trivial", "magnetic", "sign-magnetic"});
  if (has_maps && options.has("sheaf")) {
    throw Error("sheaf and maps are both given, expected one of them");
  }
  if (options.has("charge")) setup.charge = options.number("charge", 0);
  setup.normalisation = value_of_name(one_of(options, "normalisation", all_names<Normalisation>()),
                                      Normalisation::kNone);
  setup.sheaf.fixed.low_pass = options.flag("low_pass", false);
  setup.sheaf.fixed.high_pass = options.flag("high_pass", false);
  setup.sheaf.stalk_dim = static_cast<int>(options.integer("stalk_dim", 1, 1, 4096));
  setup.sheaf.family =
      value_of_name(one_of(options, "family", all_names<MapFamily>()), MapFamily::kDiagonal);
  setup.sheaf.field = is_complex ? MapField::kComplex : MapField::kPhase;
  setup.sheaf.charge = setup.charge.value_or(is_complex ? 0 : kDefaultCharge);
  return setup;
}

Sheaf make_sheaf(const DirectedGraph& graph, const Setup& setup, const dsnn_array* real,
                 const dsnn_array* imag) {
  if (real != nullptr) return Sheaf::from_maps(graph, setup.sheaf, complex_maps(real, imag));
  const double charge = setup.charge.value_or(kDefaultCharge);
  if (setup.kind == "magnetic") return Sheaf::magnetic(graph, charge, setup.sheaf.fixed);
  if (setup.kind == "sign-magnetic") {
    if (setup.charge) {
      throw Error(
          "charge has no effect on the sign-magnetic sheaf, whose phases are 1, i and -i; leave it "
          "out");
    }
    return Sheaf::sign_magnetic(graph, setup.sheaf.fixed);
  }
  return Sheaf::trivial(graph, charge, setup.sheaf.fixed);
}

void copy_complex(const std::vector<Complex>& from, double* to) {
  for (const Complex& number : from) {
    *to++ = number.real();
    *to++ = number.imag();
  }
}

}  // namespace
}  // namespace dsnn::c

using namespace dsnn::c;

extern "C" {

dsnn_status dsnn_laplacian(dsnn_graph* graph, const char* options_text, const dsnn_array* maps_real,
                           const dsnn_array* maps_imag, dsnn_blocks** blocks) {
  return guarded([&] {
    require(blocks, "blocks");
    const auto data = graphs().get(graph);
    Options options(options_text, "laplacian");
    const Setup setup = read_setup(options, maps_real != nullptr, maps_imag != nullptr);
    options.done();
    const dsnn::Sheaf sheaf = make_sheaf(data->directed(), setup, maps_real, maps_imag);
    *blocks = blocks_handles().add(std::make_shared<const dsnn::BlockSparseMatrix>(
        dsnn::laplacian(sheaf, setup.normalisation)));
  });
}

dsnn_status dsnn_blocks_close(dsnn_blocks* blocks) {
  return guarded([&] { blocks_handles().close(blocks); });
}

dsnn_status dsnn_blocks_get_sizes(dsnn_blocks* blocks, int64_t* num_rows, int64_t* num_columns,
                                  int64_t* num_blocks, int32_t* block_dim) {
  return guarded([&] {
    require(num_rows, "num_rows");
    require(num_columns, "num_columns");
    require(num_blocks, "num_blocks");
    require(block_dim, "block_dim");
    const auto matrix = blocks_handles().get(blocks);
    *num_rows = matrix->num_block_rows();
    *num_columns = matrix->num_block_cols;
    *num_blocks = matrix->num_blocks();
    *block_dim = matrix->block_dim;
  });
}

dsnn_status dsnn_blocks_get(dsnn_blocks* blocks, int64_t num_rows, int64_t num_blocks,
                            int64_t* row_offsets, int32_t* columns, double* values) {
  return guarded([&] {
    const auto matrix = blocks_handles().get(blocks);
    check_room(num_rows, matrix->num_block_rows(), "rows");
    check_room(num_blocks, matrix->num_blocks(), "blocks");
    require(row_offsets, "row_offsets");
    std::copy(matrix->row_offsets.begin(), matrix->row_offsets.end(), row_offsets);
    if (num_blocks == 0) return;
    require(columns, "columns");
    require(values, "values");
    std::copy(matrix->cols.begin(), matrix->cols.end(), columns);
    copy_complex(matrix->values, values);
  });
}

dsnn_status dsnn_spectrum_compute(dsnn_graph* graph, const char* options_text,
                                  const dsnn_array* maps_real, const dsnn_array* maps_imag,
                                  dsnn_progress callback, void* user_data,
                                  dsnn_spectrum** spectrum) {
  return guarded([&] {
    require(spectrum, "spectrum");
    const auto data = graphs().get(graph);
    Options options(options_text, "spectrum");
    const Setup setup = read_setup(options, maps_real != nullptr, maps_imag != nullptr);
    dsnn::EigenOptions eigen;
    eigen.end = one_of(options, "which", {"smallest", "largest"}) == "largest"
                    ? dsnn::SpectrumEnd::kLargest
                    : dsnn::SpectrumEnd::kSmallest;
    eigen.count = static_cast<int>(options.integer("count", eigen.count, 1, 1'000'000'000));
    eigen.tolerance = options.number("tolerance", eigen.tolerance);
    options.done();
    const Progress progress(callback, user_data);
    const dsnn::Sheaf sheaf = make_sheaf(data->directed(), setup, maps_real, maps_imag);
    const dsnn::LaplacianOperator laplacian(sheaf, setup.normalisation);
    auto result = std::make_shared<Spectrum>();
    result->size = laplacian.size();
    if (laplacian.size() > 0) result->pairs = dsnn::extremal_eigenpairs(laplacian, eigen);
    *spectrum = spectra().add(std::move(result));
  });
}

dsnn_status dsnn_spectrum_close(dsnn_spectrum* spectrum) {
  return guarded([&] { spectra().close(spectrum); });
}

dsnn_status dsnn_spectrum_get_sizes(dsnn_spectrum* spectrum, int64_t* count, int64_t* size) {
  return guarded([&] {
    require(count, "count");
    require(size, "size");
    const auto data = spectra().get(spectrum);
    *count = std::ssize(data->pairs.values);
    *size = data->size;
  });
}

dsnn_status dsnn_spectrum_get(dsnn_spectrum* spectrum, int64_t count, int64_t size, double* values,
                              double* vectors, double* residuals) {
  return guarded([&] {
    const auto data = spectra().get(spectrum);
    const dsnn::Eigenpairs& pairs = data->pairs;
    check_room(count, std::ssize(pairs.values), "pairs");
    check_room(size, data->size, "values of a vector");
    if (values != nullptr) std::copy(pairs.values.begin(), pairs.values.end(), values);
    if (residuals != nullptr) std::copy(pairs.residuals.begin(), pairs.residuals.end(), residuals);
    if (vectors != nullptr) copy_complex(pairs.vectors, vectors);
  });
}

dsnn_status dsnn_verify(dsnn_graph* graph, const char* options_text, dsnn_progress callback,
                        void* user_data, char** json) {
  return guarded([&] {
    require(json, "json");
    const auto data = graphs().get(graph);
    Options options(options_text, "verify");
    dsnn::TheoremOptions theorems;
    theorems.stalk_dim = static_cast<int>(options.integer("stalk_dim", 3, 1, 64));
    theorems.num_trials = static_cast<int>(options.integer("trials", 9, 1, 1'000'000));
    theorems.seed = static_cast<std::uint64_t>(
        options.integer("seed", 0, 0, std::numeric_limits<std::int64_t>::max()));
    options.done();
    const Progress progress(callback, user_data);
    Json claims = Json::array();
    bool passed = true;
    for (const dsnn::Claim& claim : dsnn::check_theorems(data->directed(), theorems)) {
      passed = passed && claim.passed();
      claims.push_back({{"label", claim.label},
                        {"statement", claim.statement},
                        {"deviation", claim.deviation},
                        {"tolerance", claim.tolerance},
                        {"passed", claim.passed()}});
    }
    *json = new_text(dsnn::json_text({{"passed", passed}, {"claims", claims}}));
  });
}

}  // extern "C"
