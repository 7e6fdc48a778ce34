#include "dsnn/ops/sheaf_diffusion.h"

#include "support/expect_error.h"

#include <ATen/ATen.h>

#include <gtest/gtest.h>

#include <limits>

namespace dsnn {
namespace {

/// Two edges, four half-edges, three nodes.
ops::Graph path() {
  const std::vector<Arc> arcs = {{0, 1}, {1, 2}};
  return ops::Graph(DirectedGraph::from_arcs(3, arcs));
}

struct Arguments {
  at::Tensor x = at::ones({2, 3, 2, 5});
  at::Tensor maps = at::ones({4, 2, 2});
  at::Tensor weights;
  at::Tensor charge = at::full({}, 0.25);
  ops::DiffusionOptions options = {MapFamily::kGeneral, Normalisation::kAugmented, {}};
};

void expect_refusal(const Arguments& a, const std::string& sentence) {
  testing::expect_error(
      [&] { ops::sheaf_diffusion(a.x, a.maps, a.weights, a.charge, path(), a.options); },
      "sheaf_diffusion: " + sentence);
}

TEST(SheafDiffusionArguments, MistakesAreNamed) {
  Arguments a;
  ops::sheaf_diffusion(a.x, a.maps, a.weights, a.charge, path(),
                       a.options);  // as they are, they fit

  a.maps = at::ones({4, 2});
  expect_refusal(a, "maps must have shape [4, d, d], or [2, 4, d, d] if complex (got [4, 2])");
  a.maps = at::ones({4, 2, 3});
  expect_refusal(a, "maps must have shape [4, d, d], or [2, 4, d, d] if complex (got [4, 2, 3])");
  a.maps = at::ones({3, 2, 2});
  expect_refusal(a, "maps must have shape [4, d, d], or [2, 4, d, d] if complex (got [3, 2, 2])");
  a.maps = at::ones({4, 0, 0});
  expect_refusal(a, "maps must have shape [4, d, d], or [2, 4, d, d] if complex (got [4, 0, 0])");
  a = {};
  a.options.family = MapFamily::kDiagonal;
  expect_refusal(a, "maps must have shape [4, d], or [2, 4, d] if complex (got [4, 2, 2])");
  a = {};
  a.x = at::ones({2, 3, 3, 5});
  expect_refusal(a, "x must have shape [any, 3, 2, any] (got [2, 3, 3, 5])");
  a.options.fixed.low_pass = true;
  a.x = at::ones({2, 3, 2, 5});
  expect_refusal(a, "x must have shape [any, 3, 3, any] (got [2, 3, 2, 5])");
  a = {};
  a.x = at::ones({3, 3, 2, 5});
  expect_refusal(a, "x must have 1 or 2 planes in front (got shape [3, 3, 2, 5])");
  a.x = at::ones({1, 3, 2, 5});
  expect_refusal(a, "x must have 2 planes, as there is a charge (got shape [1, 3, 2, 5])");
  a.charge = at::Tensor();
  a.maps = at::ones({2, 4, 2, 2});
  expect_refusal(a, "x must have 2 planes, as maps is complex (got shape [1, 3, 2, 5])");
  a.x = at::ones({2, 3, 2, 5});
  a.charge = at::zeros({});
  expect_refusal(a, "charge must be left out, as maps is complex");
  a = {};
  a.charge = at::ones({2});
  expect_refusal(a, "charge must be one number (got shape [2])");
  a.charge = at::full({}, std::numeric_limits<double>::infinity());
  expect_refusal(a, "charge must be finite (got inf)");
  a = {};
  a.weights = at::ones({5});
  expect_refusal(a, "edge_weights must have shape [4] (got [5])");
}

TEST(SheafDiffusionArguments, DtypesAndDevicesAreNamed) {
  Arguments a;
  a.x = a.x.to(at::kDouble);
  expect_refusal(a, "x must have the dtype of maps, Float (got shape [2, 3, 2, 5] of Double)");
  a = {};
  a.maps = a.maps.to(at::kHalf);
  expect_refusal(a, "maps must be of dtype Float or Double (got shape [4, 2, 2] of Half)");
  a = {};
  a.weights = at::ones({4}, at::kDouble);
  expect_refusal(a, "edge_weights must have the dtype of maps, Float (got shape [4] of Double)");
  a = {};
  a.x = a.x.to(at::kMeta);
  expect_refusal(a, "x must be on the CPU (got shape [2, 3, 2, 5] on meta)");
  a = {};
  a.maps = at::Tensor();
  testing::expect_error(
      [&] { ops::sheaf_diffusion(a.x, a.maps, a.weights, a.charge, path(), a.options); },
      "sheaf_diffusion: maps is an undefined tensor");
}

TEST(SheafDiffusionArguments, ScaledMapsMustFitTheGraph) {
  testing::expect_error(
      [&] {
        ops::scaled_diffusion(at::ones({2, 3, 2, 5}), at::ones({4, 2, 2}), at::ones({3, 2}), {},
                              path());
      },
      "scaled_diffusion: scaled and diagonal must be a result of scaled_maps on this graph of 3 "
      "nodes and 4 half-edges (got shapes [4, 2, 2] and [3, 2])");
}

}  // namespace
}  // namespace dsnn
