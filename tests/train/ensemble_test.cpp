#include "dsnn/train/ensemble.h"

#include "support/communities.h"
#include "support/expect_error.h"
#include "support/test_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace dsnn {
namespace {

using testing::communities;
using testing::expect_error;
using testing::options_of;
using testing::TempDir;
using testing::write_text;

TEST(Ensemble, AveragesProbabilities) {
  const TempDir dir;
  const Dataset dataset = communities();
  TrainOptions options = options_of({"epochs=20"});
  options.splits = {1, 0};
  options.folder = dir / "three";
  const MembersResult result = train_members(dataset, options, 3);
  ASSERT_EQ(result.members.size(), 3u);
  ASSERT_EQ(result.splits.size(), 2u);
  const Ensemble ensemble(options.folder);
  const std::vector<float> logits = ensemble.logits(0, dataset);
  // The plain computation, node by node.
  for (std::size_t u = 0; u < 150; ++u) {
    double mean[3] = {};
    for (const dsnn::Run& run : ensemble.members()) {
      const std::vector<float> own = run.logits(0, dataset);
      double sum = 0;
      for (std::size_t c = 0; c < 3; ++c) sum += std::exp(double{own[3 * u + c]});
      for (std::size_t c = 0; c < 3; ++c) mean[c] += std::exp(double{own[3 * u + c]}) / sum / 3;
    }
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(std::exp(double{logits[3 * u + c]}), mean[c], 1e-6);
    }
  }
  // Members differ in their seeds, and each equals the result of train() with its seed.
  EXPECT_NE(ensemble.members()[0].logits(0, dataset), ensemble.members()[1].logits(0, dataset));
  options.seed = 2;
  options.folder = dir / "alone";
  train(dataset, options);
  EXPECT_EQ(ensemble.members()[2].logits(0, dataset), dsnn::Run(options.folder).logits(0, dataset));
  EXPECT_EQ(Ensemble(options.folder).members().size(), 1u);
}

TEST(Ensemble, RefusesDamagedFiles) {
  const TempDir dir;
  const std::string file = (dir / "ensemble.json").string();
  write_text(file, "{}");
  expect_error([&] { dsnn::Ensemble{dir.path()}; },
               file + ": is damaged, expected a list of members");
  write_text(file, "{\"members\": [3]}");
  expect_error([&] { dsnn::Ensemble{dir.path()}; }, file + ": is damaged");
  write_text(file, "{\"members\": []}");
  expect_error([&] { dsnn::Ensemble{dir.path()}; }, file + ": lists no members");
}

}  // namespace
}  // namespace dsnn
