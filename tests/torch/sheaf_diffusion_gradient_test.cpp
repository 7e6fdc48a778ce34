#include "torch/gradient_check.h"
#include "torch/sheaf_diffusion_cases.h"
#include "torch/torch_operators.h"

#include <gtest/gtest.h>

namespace dsnn {
namespace {

using testing::DiffusionCase;
using testing::make_diffusion_case;

/// All gradients of a case against central differences. Orthogonal maps are varied as Q exp(A), the
/// way their gradients are defined.
void expect_case_gradients(const DiffusionCase& c, Normalisation normalisation,
                           const std::string& name) {
  const ops::Graph graph(c.graph);
  std::vector<at::Tensor> inputs = {c.x, c.maps};
  if (c.weights.defined()) inputs.push_back(c.weights);
  if (c.charge.defined()) inputs.push_back(c.charge);
  const bool is_orthogonal = c.options.family == MapFamily::kOrthogonal;
  if (is_orthogonal) inputs[1] = at::zeros_like(c.maps);
  testing::expect_gradients(
      [&](const std::vector<at::Tensor>& in) {
        at::Tensor maps = in[1];
        if (is_orthogonal && c.is_complex()) {
          const at::Tensor q = at::complex(c.maps[0], c.maps[1]);
          const at::Tensor a = at::complex(in[1][0], in[1][1]);
          const at::Tensor turned = q.matmul(at::matrix_exp(a - a.transpose(1, 2).conj()));
          maps = at::stack({at::real(turned), at::imag(turned)});
        } else if (is_orthogonal) {
          maps = c.maps.matmul(at::matrix_exp(in[1] - in[1].transpose(1, 2)));
        }
        std::size_t next = 2;
        const at::Tensor weights = c.weights.defined() ? in[next++] : at::Tensor();
        const at::Tensor charge = c.charge.defined() ? in[next] : at::Tensor();
        return ops::sheaf_diffusion(in[0], maps, weights, charge, graph,
                                    c.diffusion_options(normalisation));
      },
      inputs, name + ", normalisation " + std::to_string(static_cast<int>(normalisation)));
}

TEST(SheafDiffusionGradient, IsThatOfCentralDifferences) {
  testing::for_each_case(1, [](const testing::Case& random) {
    if (random.graph.num_edges() == 0) return;
    const std::int64_t planes = random.options.field == MapField::kReal ? 1 + random.seed % 2 : 2;
    const bool has_weights = random.seed % 2 == 0;
    DiffusionCase c =
        make_diffusion_case(random.graph, random.options, planes, 3, has_weights, random.seed);
    // Away from 0, where the exact normalisation of a diagonal map has a jump.
    if (random.options.family == MapFamily::kDiagonal) c.maps += 0.5 * c.maps.sign();
    for (const Normalisation normalisation : testing::all_normalisations()) {
      // With the exact normalisation a general map on a node of degree 1 or 2 can make D nearly
      // singular, where central differences are inaccurate.
      if (normalisation == Normalisation::kExact && random.options.family == MapFamily::kGeneral) {
        continue;
      }
      expect_case_gradients(c, normalisation, random.name);
    }
  });
}

/// A dense graph, so that every D is well conditioned.
DirectedGraph dense_graph() {
  std::vector<Arc> arcs;
  for (NodeId u = 0; u < 6; ++u) {
    for (NodeId v = 0; v < 6; ++v) {
      if ((u * 7 + v * 3) % 4 != 0) arcs.push_back({u, v});
    }
  }
  return DirectedGraph::from_arcs(7, arcs);  // and an isolated node
}

TEST(SheafDiffusionGradient, IsThatOfCentralDifferencesForGeneralMaps) {
  const DirectedGraph graph = dense_graph();
  std::uint64_t seed = 0;
  for (const MapField field : {MapField::kReal, MapField::kPhase, MapField::kComplex}) {
    for (int d = 1; d <= 4; ++d) {
      for (const bool fixed : {false, true}) {
        const SheafOptions options{
            MapFamily::kGeneral, field, d, field == MapField::kPhase ? 0.3 : 0, {fixed, fixed}};
        const DiffusionCase c = make_diffusion_case(graph, options, 2, 5, true, ++seed);
        expect_case_gradients(c, Normalisation::kExact, "d " + std::to_string(d));
        expect_case_gradients(c, Normalisation::kAugmented, "d " + std::to_string(d));
      }
    }
  }
  for (const int d : {8, 9}) {
    const SheafOptions options{MapFamily::kGeneral, MapField::kPhase, d, 0.3, {}};
    expect_case_gradients(make_diffusion_case(graph, options, 2, 2, false, 3),
                          Normalisation::kAugmented, "d " + std::to_string(d));
  }
}

// Central differences check double precision; single precision has specialised loops for few
// channels and for each dimension.
TEST(SheafDiffusionGradient, IsTheSameInSinglePrecision) {
  const DirectedGraph graph = dense_graph();
  std::uint64_t seed = 0;
  for (const std::int64_t channels : {1, 3, 8, 9, 16, 19}) {
    for (int d = 1; d <= 9; ++d) {
      for (const MapField field : {MapField::kReal, MapField::kPhase, MapField::kComplex}) {
        const auto family = ++seed % 2 == 0 ? MapFamily::kGeneral : MapFamily::kDiagonal;
        const SheafOptions options{
            family, field, d, field == MapField::kPhase ? 0.3 : 0, {seed % 3 == 0, false}};
        const DiffusionCase c = make_diffusion_case(graph, options, 2, channels, false, seed);
        const auto gradients = [&](at::ScalarType dtype) {
          return testing::gradients(
              [&](const std::vector<at::Tensor>& in) {
                return ops::sheaf_diffusion(
                    in[0], in[1], {}, c.charge.defined() ? c.charge.to(dtype) : c.charge,
                    ops::Graph(graph), c.diffusion_options(Normalisation::kAugmented));
              },
              {c.x.to(dtype), c.maps.to(dtype)});
        };
        const std::vector<at::Tensor> exact = gradients(at::kDouble);
        const std::vector<at::Tensor> single = gradients(at::kFloat);
        for (std::size_t i = 0; i < exact.size(); ++i) {
          EXPECT_LT(testing::relative_error(single[i].to(at::kDouble), exact[i]), 1e-4)
              << "d " << d << ", channels " << channels << ", seed " << seed << ", gradient " << i;
        }
      }
    }
  }
}

TEST(SheafDiffusionGradient, EqualEigenvaluesOfDAreNothingSpecial) {
  const DirectedGraph graph = dense_graph();
  const SheafOptions options{MapFamily::kGeneral, MapField::kPhase, 3, 0.3, {}};
  DiffusionCase c = make_diffusion_case(graph, options, 2, 4, false, 1);
  // Multiples of the identity: all eigenvalues of every D are equal.
  c.maps = at::eye(3, at::kDouble).mul(0.7).expand(c.maps.sizes()).clone();
  expect_case_gradients(c, Normalisation::kExact, "identities");
  expect_case_gradients(c, Normalisation::kAugmented, "identities");
  // Two equal, one apart.
  c.maps.select(1, 2).select(1, 2).fill_(0.2);
  expect_case_gradients(c, Normalisation::kExact, "two equal");
  expect_case_gradients(c, Normalisation::kAugmented, "two equal");
}

TEST(SheafDiffusionGradient, ZeroMapsAreNothingSpecial) {
  const DirectedGraph graph = dense_graph();
  for (const MapFamily family : {MapFamily::kDiagonal, MapFamily::kGeneral}) {
    const SheafOptions options{family, MapField::kPhase, 3, 0.3, {}};
    DiffusionCase c = make_diffusion_case(graph, options, 2, 4, true, 1);
    c.maps[0].zero_();
    expect_case_gradients(c, Normalisation::kExact, "one zero map");
    c.maps.zero_();
    expect_case_gradients(c, Normalisation::kAugmented, "all maps zero");
    expect_case_gradients(c, Normalisation::kNone, "all maps zero");
    // If D is singular, the exact normalisation has no derivative; the result is finite.
    for (const at::Tensor& g : testing::gradients(
             [&](const auto& in) {
               return ops::sheaf_diffusion(in[0], in[1], {}, {}, ops::Graph(graph),
                                           {family, Normalisation::kExact, {}});
             },
             {c.x, c.maps})) {
      EXPECT_TRUE(at::isfinite(g).all().item<bool>());
    }
  }
}

TEST(SheafDiffusionGradient, OfFeaturesAloneIsTheOperatorItself) {
  const DirectedGraph graph = dense_graph();
  const SheafOptions options{MapFamily::kGeneral, MapField::kPhase, 3, 0.3, {}};
  const DiffusionCase c = make_diffusion_case(graph, options, 2, 4, false, 1);
  testing::expect_gradients(
      [&](const auto& in) {
        return ops::sheaf_diffusion(in[0], c.maps, {}, c.charge, ops::Graph(graph),
                                    c.diffusion_options(Normalisation::kAugmented));
      },
      {c.x}, "features alone");
}

}  // namespace
}  // namespace dsnn
