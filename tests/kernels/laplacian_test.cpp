// The kernels against the plain sheaf Laplacian of dsnn::core, which shares no code with them.
#include "dsnn/sheaf/laplacian.h"

#include "kernels/kernel_case.h"
#include "kernels/orthogonal.h"
#include "kernels/scaled_maps.h"
#include "kernels/sheaf_diffusion.h"

#include <fmt/format.h>

#include <complex>

namespace dsnn::kernels {
namespace {

using testing::random_values;
using testing::unwritten;

constexpr std::int64_t kChannels = 3;

BlockKind block_kind(bool is_diagonal, bool is_complex) {
  if (is_diagonal) return is_complex ? BlockKind::kComplexDiagonal : BlockKind::kDiagonal;
  return is_complex ? BlockKind::kComplexDense : BlockKind::kDense;
}

/// Consecutive planes as complex numbers.
std::vector<Complex> joined(const std::vector<double>& planes, bool is_complex) {
  if (!is_complex) return {planes.begin(), planes.end()};
  std::vector<Complex> values(planes.size() / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = {planes[i], planes[values.size() + i]};
  }
  return values;
}

/// Random maps of a family; orthogonal maps are computed by the kernel.
std::vector<double> random_maps(const SheafMaps<double>& sheaf) {
  const std::int64_t planes = sheaf.is_complex ? 2 : 1;
  const std::int64_t count = sheaf.graph.count();
  if (sheaf.family != MapFamily::kOrthogonal) {
    return random_values<double>(planes * count * sheaf.map_size(), 1);
  }
  const auto method = OrthogonalMethod::kCayley;
  const OrthogonalBatch batch = {method, sheaf.is_complex, static_cast<int>(sheaf.dim), count};
  const auto params =
      random_values<double>(planes * count * num_orthogonal_params(method, sheaf.dim), 1);
  auto maps = unwritten<double>(planes * count * sheaf.map_size());
  orthogonal(testing::ThreadExecutor(2), batch, params.data(), maps.data());
  return maps;
}

void expect_laplacian(const DirectedGraph& graph, const SheafOptions& options,
                      Normalisation normalisation) {
  const testing::ThreadExecutor executor(2);
  SheafMaps<double> sheaf;
  sheaf.graph = HalfEdges(graph);
  sheaf.family = options.family;
  sheaf.is_complex = options.field == MapField::kComplex;
  sheaf.normalisation = normalisation;
  sheaf.fixed = options.fixed;
  sheaf.dim = options.stalk_dim;
  const auto maps = random_maps(sheaf);
  sheaf.maps = maps.data();

  const std::int64_t n = sheaf.graph.num_nodes;
  const std::int64_t map_planes = sheaf.is_complex ? 2 : 1;
  const std::int64_t k = sheaf.num_eigenvalues();
  auto scaled = unwritten<double>(map_planes * sheaf.graph.count() * sheaf.full_map_size());
  auto diagonal =
      unwritten<double>((sheaf.is_diagonal() ? 1 : map_planes) * n * sheaf.full_map_size());
  auto eigenvalues = unwritten<double>(n * k);
  auto eigenvectors = unwritten<double>(sheaf.has_eigenvectors() ? n * k * k : 0);
  scale_maps(executor, sheaf, scaled.data(), diagonal.data(), eigenvalues.data(),
             eigenvectors.data());

  const bool has_planes = options.field != MapField::kReal;
  Diffusion<double> op;
  op.graph = sheaf.graph;
  op.kind = block_kind(sheaf.is_diagonal(), sheaf.is_complex);
  op.dim = sheaf.full_dim();
  op.planes = has_planes ? 2 : 1;
  op.channels = kChannels;
  op.charge = options.charge;
  op.maps = scaled.data();
  op.diagonal = diagonal.data();
  const auto x = random_values<double>(op.planes * n * op.dim * kChannels, 2);
  auto y = unwritten<double>(static_cast<std::int64_t>(x.size()));
  sheaf_diffusion(executor, op, x.data(), y.data());

  const Sheaf plain = Sheaf::from_maps(graph, options, joined(maps, sheaf.is_complex));
  const std::vector<Complex> expected =
      LaplacianOperator(plain, normalisation).apply(joined(x, has_planes), kChannels);
  const std::vector<Complex> result = joined(y, has_planes);
  ASSERT_EQ(result.size(), expected.size());
  double largest = 1;
  double error = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_TRUE(std::isfinite(std::abs(result[i])));
    largest = std::max(largest, std::abs(expected[i]));
    error = std::max(error, std::abs(result[i] - expected[i]));
  }
  EXPECT_LT(error / largest, 1e-10);
}

TEST(KernelLaplacian, IsThePlainOne) {
  for (const auto& [name, graph] : testing::kernel_graphs()) {
    for (const auto family : {MapFamily::kDiagonal, MapFamily::kOrthogonal, MapFamily::kGeneral}) {
      for (const auto field : {MapField::kReal, MapField::kPhase, MapField::kComplex}) {
        for (const auto normalisation : {Normalisation::kNone, Normalisation::kExact,
                                         Normalisation::kAugmented, Normalisation::kDegree}) {
          for (const int dim : {1, 2, 3, 4}) {
            SCOPED_TRACE(fmt::format("{}, family {}, field {}, normalisation {}, d = {}", name,
                                     static_cast<int>(family), static_cast<int>(field),
                                     static_cast<int>(normalisation), dim));
            SheafOptions options;
            options.family = family;
            options.field = field;
            options.stalk_dim = dim;
            options.charge = field == MapField::kPhase ? 0.2 : 0;
            options.fixed = {.low_pass = dim == 2, .high_pass = dim >= 2 && dim <= 3};
            expect_laplacian(graph, options, normalisation);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace dsnn::kernels
