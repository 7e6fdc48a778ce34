// Links: training, what it sees, its files, and predictions.
#include "dsnn/data/degree_features.h"
#include "dsnn/engine/session.h"
#include "dsnn/train/link_run.h"
#include "dsnn/train/train.h"
#include "dsnn/util/error.h"
#include "dsnn/util/random.h"

#include "data/reorder.h"
#include "support/expect_error.h"
#include "support/test_files.h"
#include "train/link_config.h"
#include "train/link_task.h"
#include "train/split_trainer.h"
#include "train/task_maker.h"
#include "util/index.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace dsnn {
namespace {

using testing::contains;
using testing::message_of;
using testing::read_text;
using testing::TempDir;

/// All arcs follow a hidden order of the nodes, about which the features say nothing.
Dataset hidden_order(NodeId n, int num_arcs, std::uint64_t seed) {
  Random random(seed);
  std::vector<NodeId> rank;
  for (NodeId u = 0; u < n; ++u) rank.push_back(u);
  random.shuffle(rank);
  std::vector<Arc> arcs;
  while (std::ssize(arcs) < num_arcs) {
    const auto u = static_cast<NodeId>(random.below(at(n)));
    const auto v = static_cast<NodeId>(random.below(at(n)));
    if (rank[at(u)] < rank[at(v)]) arcs.push_back({u, v});
  }
  Dataset dataset;
  dataset.name = "hidden-order";
  dataset.graph = DirectedGraph::from_arcs(n, arcs);
  // Random features would tell nodes apart, and a network can learn which of them have out-arcs.
  dataset.features = Features::dense(n, 1, std::vector<float>(at(n), 1));
  dataset.usual_scale = FeatureScale::kNone;  // and no degree columns
  return dataset;
}

TrainOptions link_options_of(const std::string& model, const std::vector<std::string>& settings) {
  TrainOptions options;
  options.model = model;
  options.config = default_config(model, TaskKind::kLinks);
  for (const std::string& setting : settings) options.config.set_text(setting);
  options.splits = {0};
  return options;
}

std::string link_digest(const std::vector<SplitResult>& results) {
  std::string text;
  for (const SplitResult& r : results) {
    text += fmt::format("{} {} {} {:a} {:a} {:a} {:a} {:a}\n", r.split, r.best_epoch, r.epochs,
                        r.validation.value(), r.validation.loss, r.test.value(), r.test.loss,
                        r.test.ranks ? r.test.ranks->mrr : 0);
  }
  return text;
}

TEST(Links, DirectionsOfAHiddenOrder) {
  const Dataset dataset = hidden_order(200, 16000, 1);
  const auto accuracy = [&](const std::string& model, const std::string& decoder) {
    return train(dataset,
                 link_options_of(model, {"link_task=direction", "decoder=" + decoder, "layers=2",
                                         "channels=8", "epochs=250", "lr=0.02", "patience=250"}))
        .splits[0]
        .test.accuracy;
  };
  EXPECT_GT(accuracy("diag-dsnn", "inner"), 0.95);
  EXPECT_GT(accuracy("diag-dsnn", "mlp"), 0.95);
  EXPECT_NEAR(accuracy("diag-nsd", "inner"), 0.5, 0.06);
  EXPECT_NEAR(accuracy("diag-nsd", "mlp"), 0.5, 0.1);
}

/// Weights after a few epochs on given link splits.
std::vector<float> trained_weights(const Dataset& dataset, const TrainOptions& options) {
  const Config config = config_for(options.model, options.config);
  SplitTrainer trainer(std::make_unique<LinkTask>(dataset, config, 0), 0, options.model, config, 3,
                       engine::Device::cpu());
  for (int epoch = 0; epoch < 3; ++epoch) trainer.run_epoch();
  return trainer.weights();
}

// Training gives the same bits whatever the arcs of validation and test are: neither messages nor
// degrees contain them.
TEST(Links, OtherArcsAreNeverSeen) {
  const Dataset all = hidden_order(50, 400, 2);
  const std::vector<Arc> arcs = all.graph.arcs();
  const std::vector<Arc> train_arcs(arcs.begin(), arcs.begin() + 250);
  const auto with_others = [&](std::size_t from, std::size_t middle, std::size_t to) {
    const auto part = [&](std::size_t a, std::size_t b) {
      return std::vector<Arc>(arcs.begin() + static_cast<std::ptrdiff_t>(a),
                              arcs.begin() + static_cast<std::ptrdiff_t>(b));
    };
    Dataset dataset = all;
    std::vector<Arc> known = train_arcs;
    const std::vector<Arc> others = part(from, to);
    known.insert(known.end(), others.begin(), others.end());
    dataset.graph = DirectedGraph::from_arcs(50, known);
    const std::vector<Arc> absent = absent_pairs(all.graph, 20, 1);
    dataset.link_splits = {{train_arcs, part(from, middle), part(middle, to), {}, absent, absent}};
    return dataset;
  };
  const Dataset first = with_others(250, 270, 300), second = with_others(300, 330, arcs.size());
  for (const char* model : {"diag-dsnn", "gcn", "dirgnn", "magnet", "geomgcn", "mlp"}) {
    for (const char* negatives : {"fixed", "epoch"}) {
      for (const char* task : {"existence", "existence-direction", "three-class", "direction"}) {
        const TrainOptions options =
            link_options_of(model, {"degree_features=yes", fmt::format("negatives={}", negatives),
                                    fmt::format("link_task={}", task)});
        EXPECT_EQ(trained_weights(first, options), trained_weights(second, options))
            << model << " " << negatives << " " << task;
      }
    }
  }
  // Features that are degrees of the whole graph are replaced by those of the messages.
  Dataset degrees = first, other_degrees = second;
  set_degree_features(degrees, DegreeFeatures::kDegrees);
  set_degree_features(other_degrees, DegreeFeatures::kDegrees);
  const TrainOptions options = link_options_of("gcn", {});
  EXPECT_EQ(trained_weights(degrees, options), trained_weights(other_degrees, options));
  set_degree_features(degrees, DegreeFeatures::kBuckets);
  EXPECT_TRUE(
      contains(message_of<Error>([&] { trained_weights(degrees, options); }), "would reveal"));
}

TEST(Links, EveryModelLearnsAndGivesTheSameBitsForAnyThreadsAndJobs) {
  const Dataset dataset = hidden_order(40, 200, 3);
  std::size_t number = 0;
  for (const nn::ModelEntry& entry : nn::model_registry()) {
    const char* decoders[] = {"inner", "bilinear", "dual", "mlp"};
    const char* tasks[] = {"existence", "direction", "three-class", "existence-direction"};
    TrainOptions options =
        link_options_of(entry.name, {fmt::format("decoder={}", decoders[number % 4]),
                                     fmt::format("link_task={}", tasks[number / 4 % 4]),
                                     "negatives=epoch", "epochs=4", "decoder_dropout=0.2"});
    ++number;
    options.splits = {0, 1, 2};
    options.threads = 1;
    const TrainResult one = train(dataset, options);
    options.threads = 3;
    options.jobs = 2;
    const TrainResult other = train(dataset, options);
    EXPECT_EQ(link_digest(one.splits), link_digest(other.splits)) << entry.name;
    for (const SplitResult& split : one.splits) {
      EXPECT_EQ(split.failure, "") << entry.name;
      EXPECT_GT(split.best_epoch, 0) << entry.name;
    }
  }
}

TEST(Links, GradientsOfTheWholeByCentralDifferences) {
  const Dataset dataset = hidden_order(25, 120, 4);
  for (const char* model : {"gen-dsnn", "orth-nsd-compl", "magnet", "gat"}) {
    for (const char* task : {"existence", "three-class"}) {
      const Config config =
          link_options_of(model, {"negatives=epoch", fmt::format("link_task={}", task),
                                  "decoder=bilinear", "channels=4", "dropout=0.3"})
              .config;
      LinkTask links(dataset, config, 0);
      const auto network = links.make_model(model, config, 1);
      const engine::Device device = engine::Device::cpu(2);
      links.begin_step(5, device.executor());
      engine::Program program;
      const engine::Value loss = links.append_training(*network, {program, true}).loss;
      program.keep(loss);
      program.differentiate(loss);
      std::vector<double> weights = network->weights().initial(), gradients(weights.size());
      engine::Session<double> session(program, engine::Device::cpu(),
                                      std::span<const double>(weights), std::span(gradients));
      session.forward(7);
      session.backward();
      Random random(8);
      std::vector<double> direction;
      double expected = 0;
      for (const double g : gradients) {
        direction.push_back(random.uniform(-1, 1));
        expected += g * direction.back();
      }
      const auto moved = [&](double step) {
        for (std::size_t i = 0; i < weights.size(); ++i) {
          weights[i] = network->weights().initial()[i] + step * direction[i];
        }
        session.forward(7);
        return session.numbers(loss)[0];
      };
      constexpr double kStep = 1e-6;
      const double slope = (moved(kStep) - moved(-kStep)) / (2 * kStep);
      EXPECT_NEAR(slope, expected, 1e-5 * std::max(1.0, std::abs(expected))) << model << task;
    }
  }
}

TEST(Links, ContinuesFromACheckpoint) {
  const Dataset dataset = hidden_order(40, 200, 5);
  const TempDir dir;
  for (const char* task : {"existence", "three-class"}) {
    const TrainOptions options = link_options_of(
        "diag-dsnn", {"negatives=epoch", fmt::format("link_task={}", task), "dropout=0.2"});
    const auto trainer = [&] {
      return std::make_unique<SplitTrainer>(std::make_unique<LinkTask>(dataset, options.config, 0),
                                            0, options.model, options.config, 1,
                                            engine::Device::cpu());
    };
    const auto whole = trainer(), first = trainer(), second = trainer();
    for (int epoch = 0; epoch < 9; ++epoch) whole->run_epoch();
    for (int epoch = 0; epoch < 4; ++epoch) first->run_epoch();
    first->save(dir / "checkpoint.npz", "same");
    second->restore(dir / "checkpoint.npz", "same");
    for (int epoch = 4; epoch < 9; ++epoch) second->run_epoch();
    EXPECT_EQ(whole->weights(), second->weights());
    EXPECT_EQ(link_digest({whole->result()}), link_digest({second->result()}));
    ASSERT_EQ(whole->records().size(), second->records().size());
    for (std::size_t i = 0; i < whole->records().size(); ++i) {
      EXPECT_EQ(whole->records()[i].test.value(), second->records()[i].test.value());
      EXPECT_EQ(whole->records()[i].test.ranks.has_value(), task == std::string("existence"));
    }
  }
}

TEST(Links, ARunIsEvaluatedToTheSameScores) {
  const Dataset dataset = hidden_order(40, 250, 6);
  for (const std::string task : {"existence", "three-class"}) {
    const TempDir dir;
    TrainOptions options =
        link_options_of("diag-dsnn", {"link_task=" + task, "epochs=5", "degree_features=yes"});
    options.splits = {0, 2};
    options.folder = dir / "run";
    const TrainResult result = train(dataset, options);
    const dsnn::Run run(options.folder);
    EXPECT_EQ(run.task(), TaskKind::kLinks);
    EXPECT_TRUE(run.is_finished());
    const std::vector<Scores> scores = link_test_scores(Ensemble(run.folder()), {0, 2}, dataset);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(scores[i].value(), result.splits[i].test.value(), 1e-9);
      EXPECT_NEAR(scores[i].loss, result.splits[i].test.loss, 1e-6);
    }
    const auto json = nlohmann::json::parse(read_text(options.folder / "result.json"));
    EXPECT_EQ(json["task"], "links");
    EXPECT_EQ(json["metric"], task == "existence" ? "auc" : "accuracy");
    EXPECT_EQ(json["splits"][0].contains("test_hits@50"), task == "existence");
    EXPECT_TRUE(contains(read_text(options.folder / "config.toml"), "task = \"links\""));
    EXPECT_EQ(read_toml(options.folder / "config.toml").fingerprint(), result.config.fingerprint());
    EXPECT_TRUE(contains(message_of<Error>([&] { run.logits(0, dataset); }), "predicts links"));
  }
}

TEST(Links, TopPairsAreTheBestOfAll) {
  const Dataset dataset = hidden_order(30, 150, 7);
  const TempDir dir;
  TrainOptions options = link_options_of("diag-dsnn", {"epochs=10", "decoder=inner"});
  options.folder = dir / "run";
  train(dataset, options);
  const LinkPredictor predictor(dsnn::Run(options.folder), 0, dataset);
  const std::vector<LinkPrediction> top = predictor.top(4);
  ASSERT_EQ(top.size(), 30u * 4);
  std::set<std::pair<NodeId, NodeId>> arcs;
  for (const Arc arc : dataset.graph.arcs()) arcs.insert({arc.source, arc.target});
  for (NodeId u = 0; u < 30; ++u) {
    std::vector<std::pair<double, NodeId>> all;
    for (NodeId v = 0; v < 30; ++v) {
      if (u == v || arcs.contains({u, v})) continue;
      all.emplace_back(-predictor.probabilities(std::vector{Arc{u, v}})[1], v);
    }
    std::ranges::sort(all);
    for (std::size_t i = 0; i < 4; ++i) {
      const LinkPrediction& each = top[at(u) * 4 + i];
      EXPECT_EQ(each.source, u);
      EXPECT_EQ(each.target, all[i].second);
      EXPECT_EQ(each.probability, -all[i].first);
    }
  }
}

// Other numbers for the same nodes give the same scores.
TEST(Links, NumbersOfNodesDoNotMatter) {
  const Dataset dataset = hidden_order(30, 150, 8);
  const TempDir dir;
  std::vector<NodeId> order;
  for (NodeId u = 0; u < 30; ++u) order.push_back((u * 7 + 3) % 30);
  Dataset other = dataset;
  other.graph = reordered(dataset.graph, order);
  other.features = reordered(dataset.features, order);
  for (const char* model : {"diag-dsnn", "magnet", "dirgnn"}) {
    TrainOptions options = link_options_of(model, {"epochs=5"});
    options.folder = dir / model;
    train(dataset, options);
    const dsnn::Run run(options.folder);
    std::vector<Arc> pairs, other_pairs;
    for (NodeId i = 0; i < 30; ++i) {
      const NodeId j = (i * i + 1) % 30;
      other_pairs.push_back({i, j});
      pairs.push_back({order[at(i)], order[at(j)]});
    }
    const auto a = LinkPredictor(run, 0, dataset).logits(pairs);
    const auto b = LinkPredictor(run, 0, other).logits(other_pairs);
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_NEAR(a[i], b[i], 1e-4 * std::max(1.0f, std::abs(a[i]))) << model;
    }
  }
}

TEST(Links, MistakesAreOneSentence) {
  const Dataset dataset = hidden_order(30, 150, 9);
  const auto fault = [&](const std::vector<std::string>& settings) {
    return message_of<Error>([&] { train(dataset, link_options_of("gcn", settings)); });
  };
  EXPECT_TRUE(contains(fault({"link_task=three-class", "metric=mrr"}), "two classes"));
  EXPECT_TRUE(contains(fault({"protocol=dirlink"}), "has no link splits"));
  EXPECT_TRUE(contains(fault({"test_share=0.9"}), "no other path"));
  TrainOptions options = link_options_of("gcn", {});
  options.splits = {10};
  EXPECT_TRUE(contains(message_of<Error>([&] { train(dataset, options); }), "has splits 0 to 9"));
}

}  // namespace
}  // namespace dsnn
