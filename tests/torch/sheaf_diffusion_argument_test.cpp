#include "support/expect_error.h"
#include "torch/torch_operators.h"

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

at::Tensor apply(const Arguments& a) {
  return ops::sheaf_diffusion(a.x, a.maps, a.weights, a.charge, path(), a.options);
}

void expect_refusal(const Arguments& a, const std::string& sentence) {
  testing::expect_error([&] { apply(a); }, sentence);
}

TEST(SheafDiffusionArguments, MistakesAreNamed) {
  Arguments a;
  apply(a);  // valid as they are

  const auto expect_bad_maps = [&](const std::string& sentence) {
    expect_refusal(a, "scaled_maps: " + sentence);
  };
  a.maps = at::ones({4, 2});
  expect_bad_maps("maps must have shape [4, d, d], or [2, 4, d, d] if complex (got [4, 2])");
  a.maps = at::ones({4, 2, 3});
  expect_bad_maps("maps must have shape [4, d, d], or [2, 4, d, d] if complex (got [4, 2, 3])");
  a.maps = at::ones({3, 2, 2});
  expect_bad_maps("maps must have shape [4, d, d], or [2, 4, d, d] if complex (got [3, 2, 2])");
  a.maps = at::ones({4, 0, 0});
  expect_bad_maps("maps must have shape [4, d, d], or [2, 4, d, d] if complex (got [4, 0, 0])");
  a.maps = at::ones({3, 4, 2, 2});
  expect_bad_maps("maps must have shape [4, d, d], or [2, 4, d, d] if complex (got [3, 4, 2, 2])");
  a = {};
  a.options.family = MapFamily::kDiagonal;
  expect_bad_maps("maps must have shape [4, d], or [2, 4, d] if complex (got [4, 2, 2])");
  a = {};
  a.weights = at::ones({5});
  expect_bad_maps("edge_weights must have shape [4] (got [5])");

  const auto expect_bad_features = [&](const std::string& sentence) {
    expect_refusal(a, "scaled_diffusion: " + sentence);
  };
  a = {};
  a.x = at::ones({2, 3, 3, 5});
  expect_bad_features("x must have shape [any, 3, 2, any] (got [2, 3, 3, 5])");
  a.options.fixed.low_pass = true;
  a.x = at::ones({2, 3, 2, 5});
  expect_bad_features("x must have shape [any, 3, 3, any] (got [2, 3, 2, 5])");
  a = {};
  a.x = at::ones({3, 3, 2, 5});
  expect_bad_features("x must have a leading dimension of 1 or 2 planes (got shape [3, 3, 2, 5])");
  a.x = at::ones({1, 3, 2, 5});
  expect_bad_features("x must have 2 planes, because a charge is given (got shape [1, 3, 2, 5])");
  a.charge = at::Tensor();
  a.maps = at::ones({2, 4, 2, 2});
  expect_bad_features("x must have 2 planes, because scaled is complex (got shape [1, 3, 2, 5])");
  a.x = at::ones({2, 3, 2, 5});
  a.charge = at::zeros({});
  expect_bad_features("charge must be omitted, because scaled is complex");
  a = {};
  a.charge = at::ones({2});
  expect_bad_features("charge must be a single value (got shape [2])");
}

TEST(SheafDiffusionArguments, WhatIsLeftOutIsNamed) {
  Arguments a;
  a.maps = at::Tensor();
  expect_refusal(a, "scaled_maps: maps is missing");
  a = {};
  a.x = at::Tensor();
  expect_refusal(a, "scaled_diffusion: x is missing");
  testing::expect_error(
      [&] {
        ops::scaled_diffusion(a.maps, at::Tensor(), at::ones({3, 2, 2}), {}, path());
      },
      "scaled_diffusion: scaled is missing");
  testing::expect_error([&] { ops::scaled_diffusion(a.maps, a.maps, at::Tensor(), {}, path()); },
                        "scaled_diffusion: diagonal is missing");
}

// A charge is learned: what training does to it shows in the result.
TEST(SheafDiffusionArguments, AChargeThatIsNotFiniteDoesNotHide) {
  for (const double charge :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    Arguments a;
    a.charge = at::full({}, charge);
    EXPECT_TRUE(apply(a).isnan().all().item<bool>()) << charge;
  }
}

TEST(SheafDiffusionArguments, ScaledMapsMustFitTheGraph) {
  testing::expect_error(
      [&] {
        ops::scaled_diffusion(at::ones({2, 3, 2, 5}), at::ones({4, 2, 2}), at::ones({3, 2}), {},
                              path());
      },
      "scaled_diffusion: scaled and diagonal must be results of scaled_maps on this graph of 3 "
      "nodes and 4 half-edges (got shapes [4, 2, 2] and [3, 2])");
}

}  // namespace
}  // namespace dsnn
