// Training in parts, through the files of parts: the same curve as one process has, resumed to the
// same bits.
#include "dsnn/train/part_folder.h"
#include "dsnn/train/run.h"
#include "dsnn/train/traffic.h"
#include "dsnn/train/train.h"
#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "support/communities.h"
#include "support/expect_error.h"
#include "support/test_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace dsnn {
namespace {

using namespace testing;

void write_blocks(const std::filesystem::path& folder, const Dataset& dataset, int num_parts) {
  const std::vector<NodeId> order = input_order(dataset.graph);
  PartFolder::write(folder, dataset, partition_blocks(dataset.graph, order, num_parts), order,
                    num_parts);
}

/// Calls see() with the results of rank 0.
TrainResult train_parts(const std::filesystem::path& parts, int num_parts,
                        const TrainOptions& options) {
  TrainResult result;
  run_as_threads(num_parts, [&](Ranks& ranks) {
    LoadedPart loaded = load_part(parts, ranks);
    TrainOptions own = options;
    own.part = loaded.part;
    TrainResult of_rank = train(std::move(loaded.data), own);
    if (ranks.rank() == 0) result = std::move(of_rank);
  });
  return result;
}

/// The numbers of metrics.csv.
std::vector<std::vector<double>> metrics(const std::filesystem::path& run) {
  std::istringstream lines(read_text(run / "split-0" / "metrics.csv"));
  std::vector<std::vector<double>> rows;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::vector<double>& row = rows.emplace_back();
    for (std::string field; std::getline(fields, field, ',');) row.push_back(std::stod(field));
  }
  return rows;
}

void expect_same_curve(const std::filesystem::path& a, const std::filesystem::path& b,
                       std::size_t epochs) {
  const auto of_a = metrics(a), of_b = metrics(b);
  ASSERT_EQ(of_a.size(), epochs);
  ASSERT_EQ(of_b.size(), epochs);
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    EXPECT_NEAR(of_a[epoch][1], of_b[epoch][1], 1e-4) << "epoch " << epoch + 1;  // step_loss
    EXPECT_NEAR(of_a[epoch][4], of_b[epoch][4], 1e-4) << "epoch " << epoch + 1;  // val_loss
  }
}

TEST(PartTraining, HasTheCurveOfOneProcess) {
  const Dataset dataset = communities();
  const TempDir dir;
  for (const char* model : {"diag-dsnn", "gcn", "gat"}) {
    TrainOptions options = options_of({"epochs=50", "dropout=0.4", "patience=100", "select_by=loss",
                                       "normalise_features=standard"},
                                      model);
    options.splits = {0};
    options.folder = dir / (std::string("whole-") + model);
    train(dataset, options);
    for (const int num_parts : {1, 2, 3}) {
      const auto parts = dir / fmt::format("parts-{}", num_parts);
      write_blocks(parts, dataset, num_parts);
      TrainOptions of_parts = options;
      of_parts.folder = dir / fmt::format("{}-{}", model, num_parts);
      const TrainResult result = train_parts(parts, num_parts, of_parts);
      expect_same_curve(options.folder, of_parts.folder, 50);
      EXPECT_EQ(result.splits[0].num_test, 30);
      EXPECT_EQ(result.config.checksum, checksum(dataset));
      // A run like that of one process: it can be used on the whole graph.
      EXPECT_NEAR(dsnn::Run(of_parts.folder).test_scores(0, dataset).accuracy,
                  result.splits[0].test.accuracy, 1e-12);
    }
  }
}

TEST(PartTraining, HasTheCurveOnPublishedGraphs) {
  if (std::getenv("DSNN_DATA") == nullptr) GTEST_SKIP() << "DSNN_DATA is not set";
  const TempDir dir;
  for (const char* name : {"texas", "cora"}) {
    const Dataset dataset = read_dataset(find_dataset(name));
    TrainOptions options = options_of({"epochs=50", "dropout=0.5", "select_by=loss"});
    options.splits = {0};
    options.folder = dir / name;
    const TrainResult expected = train(dataset, options);
    const auto parts = dir / (std::string(name) + "-parts");
    write_blocks(parts, dataset, 3);
    options.folder = dir / (std::string(name) + "-in-parts");
    const TrainResult result = train_parts(parts, 3, options);
    expect_same_curve(dir / name, options.folder, 50);
    EXPECT_NEAR(result.splits[0].test.accuracy, expected.splits[0].test.accuracy, 0.01) << name;
  }
}

TEST(PartTraining, ResumesToTheSameBits) {
  const Dataset dataset = communities();
  const TempDir dir;
  write_blocks(dir / "parts", dataset, 3);
  TrainOptions options = options_of({"epochs=20"});
  options.splits = {0};
  options.folder = dir / "at-once";
  const std::string expected = digest(train_parts(dir / "parts", 3, options).splits);
  const auto interrupt = [&](const char* name) {
    options.folder = dir / name;
    options.observer = [](const TrainProgress& progress) {
      if (progress.epoch == 7) request_cancel();
    };
    EXPECT_THROW(train_parts(dir / "parts", 3, options), Cancelled);
    clear_cancel_request();
    options.observer = {};
    options.resume = true;
  };
  interrupt("resumed");
  EXPECT_EQ(digest(train_parts(dir / "parts", 3, options).splits), expected);
  options.resume = false;
  interrupt("resumed-by-fewer");
  write_blocks(dir / "halves", dataset, 2);
  train_parts(dir / "halves", 2, options);
  expect_same_curve(dir / "resumed-by-fewer", dir / "at-once", 20);
}

TEST(PartTraining, SaysWhereALossIsNotFinite) {
  Dataset dataset = communities();
  for (const std::size_t node : {147u, 148u, 149u}) dataset.features.values[node] = 3e38F;
  const TempDir dir;
  write_blocks(dir / "parts", dataset, 3);
  TrainOptions options = options_of({"epochs=3", "normalise_features=none"}, "gcn");
  options.splits = {0};
  const std::string expected = train(dataset, options).splits[0].failure;
  EXPECT_TRUE(contains(expected, "come from layer 1"));
  EXPECT_EQ(train_parts(dir / "parts", 3, options).splits[0].failure, expected);
}

/// What all ranks send in a training.
std::int64_t bytes_of(const std::filesystem::path& parts, int num_parts,
                      const TrainOptions& options) {
  std::int64_t bytes = 0;
  run_as_threads(num_parts, [&](Ranks& ranks) {
    LoadedPart loaded = load_part(parts, ranks);
    TrainOptions own = options;
    own.part = loaded.part;
    train(std::move(loaded.data), own);
    const std::int64_t sum = ranks.sum(ranks.bytes_sent());
    if (ranks.rank() == 0) bytes = sum;
  });
  return bytes;
}

TEST(PartTraining, SendsWhatIsForetold) {
  Dataset dataset = communities();
  const TempDir dir;
  const Partition partition = partition_blocks(dataset.graph, {}, 3);
  for (const std::int64_t classes : {3, 2}) {
    if (classes == 2) {  // then ROC-AUC is computed
      for (std::int64_t& label : dataset.labels) label = std::min<std::int64_t>(label, 1);
      dataset.num_classes = 2;
    }
    const auto parts = dir / fmt::format("{}", classes);
    PartFolder::write(parts, dataset, partition, {}, 3);
    for (const char* model : {"diag-dsnn", "orth-nsd-compl", "gcn", "gat", "mlp", "sgc"}) {
      TrainOptions options = options_of({}, "mlp");
      options.model = model;
      options.config = default_config(model);
      options.splits = {0};
      const auto bytes_until = [&](const char* epochs) {
        options.config.set_text(epochs);
        return bytes_of(parts, 3, options);
      };
      const EpochTraffic traffic = epoch_traffic(model, options.config, {1, classes},
                                                 cost_of(dataset.graph, partition, 3), 3, 150);
      EXPECT_EQ(bytes_until("epochs=4") - bytes_until("epochs=3"), traffic.rows + traffic.sums)
          << model;
      EXPECT_EQ(traffic.rows == 0, std::string(model) == "mlp") << model;
    }
  }
}

TEST(PartTraining, SaysWhatIsWrong) {
  const Dataset dataset = communities();
  const TempDir dir;
  const std::string parts = (dir / "parts").string();
  write_blocks(parts, dataset, 2);
  TrainOptions options = options_of({"epochs=2"}, "h2gcn");
  const auto run = [&] { train_parts(parts, 2, options); };
  expect_error(run,
               "communities: is in parts, but h2gcn cannot: it sums over nodes two edges apart");
  options = options_of({"epochs=2"});
  expect_error([&] { train_parts(parts, 3, options); },
               parts + ": has 2 parts, but the number of ranks is 3 (mpirun -n 2 ...)");
  const std::string changed =
      ": is not the part that parts.json describes (damaged, or of another graph or partition)";
  const std::string file = parts + "/part-1.npz";
  const std::string bytes = read_text(file);
  write_text(file, bytes.substr(0, bytes.size() / 2));
  expect_error(run, file + changed);
  std::filesystem::remove(file);
  expect_error(run, file + ": cannot open, expected a part of a graph");
  write_blocks(dir / "others", communities(120), 2);
  std::filesystem::copy_file(dir / "others" / "part-1.npz", file);
  expect_error(run, file + changed);
  expect_error([&] { PartFolder((dir / "nothing").string()); },
               (dir / "nothing").string() +
                   ": has no parts.json, expected a folder written by dsnn partition");
  write_text(parts + "/parts.json", "{");
  expect_error([&] { PartFolder{parts}; }, parts + "/parts.json: is damaged");
}

}  // namespace
}  // namespace dsnn
