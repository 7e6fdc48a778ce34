#include "report/comparison.h"

#include "dsnn/util/error.h"

#include "train/run_files.h"
#include "util/index.h"

#include <algorithm>
#include <filesystem>

namespace dsnn {
namespace {

constexpr const char* kCharge = "q";

/// Whether a model has a non-zero charge.
bool has_charge(const Config& config) {
  const bool is_there = std::ranges::any_of(config.parameters(),
                                            [](const Parameter& p) { return p.name == kCharge; });
  return is_there && (config.is_word(kCharge) || config.number(kCharge) != 0);
}

/// The ratio of test nodes to training nodes of the splits.
double test_per_train(const Dataset& dataset, const std::vector<int>& splits) {
  double tested = 0, trained = 0;
  for (const int split : splits) {
    const Split& parts = dataset.splits[at(split)];
    for (std::size_t u = 0; u < dataset.labels.size(); ++u) {
      if (dataset.labels[u] < 0) continue;
      tested += parts.test[u] != 0 ? 1 : 0;
      trained += parts.train[u] != 0 ? 1 : 0;
    }
  }
  return trained > 0 ? tested / trained : 0;
}

/// Renames a folder with another training, for example with the defaults of an older version.
void remove_other_run(const TrainOptions& options, const std::string& checksum) {
  const RunFiles files(options.folder);
  if (!files.has_run()) return;
  RunConfig wanted;
  wanted.model = options.model;
  wanted.checksum = checksum;
  wanted.seed = options.seed;
  wanted.config = options.config;
  try {
    RunConfig kept = read_toml(files.config());
    wanted.dataset = kept.dataset;
    if (kept.fingerprint() == wanted.fingerprint()) return;
  } catch (const Error&) {
    // damaged: training cannot continue from it either
  }
  std::filesystem::remove_all(options.folder);
}

/// The networks for comparison. `name` is also the name of the folder.
struct Other {
  std::string name, model;
  Config config;
};

std::vector<Other> others_of(const Run& run) {
  std::vector<Other> others;
  if (run.model() != "mlp") {
    // With another budget, or features prepared in another way, the graph would not be the only
    // difference. The learning rate and the decay belong to the model.
    Config config = default_config("mlp");
    for (const char* name :
         {"epochs", "patience", "select_by", "normalise_features", "degree_features"}) {
      config.set(name, run.config().value(name));
    }
    others.push_back({"mlp", "mlp", config});
  }
  if (has_charge(run.config())) {
    Config config = run.config();
    config.set(kCharge, 0.0);
    others.push_back({"charge-0", run.model(), config});
  }
  return others;
}

/// Trains missing networks.
TrainResult train_other(const Other& other, const Run& run, const Dataset& dataset,
                        const ReportOptions& options) {
  TrainOptions training;
  training.model = other.model;
  training.config = other.config;
  training.splits = run.splits();
  training.seed = run.seed();
  training.jobs = options.jobs;
  training.threads = options.threads;
  training.folder = run.folder() / "report" / other.name;
  training.resume = true;
  if (options.observer) {
    training.observer = [&](const TrainProgress& progress) {
      options.observer(other.name, progress);
    };
  }
  remove_other_run(training, run.checksum());
  return train(dataset, training);
}

}  // namespace

std::vector<Comparison> compare(const Run& run, const Dataset& dataset,
                                std::span<const double> accuracies, const ReportOptions& options) {
  std::vector<Comparison> comparisons;
  for (const Other& other : others_of(run)) {
    const TrainResult result = train_other(other, run, dataset, options);
    Comparison comparison;
    comparison.name = other.name;
    std::vector<double> differences;
    for (std::size_t i = 0; i < result.splits.size(); ++i) {
      const SplitResult& split = result.splits[i];
      if (split.best_epoch == 0) continue;
      comparison.splits.push_back(split.split);
      comparison.accuracies.push_back(split.test.accuracy);
      differences.push_back(accuracies[i] - split.test.accuracy);
    }
    if (!differences.empty()) comparison.difference = mean_and_deviation(differences).mean;
    comparison.interval = mean_interval(differences);
    comparison.corrected = mean_interval(differences, test_per_train(dataset, comparison.splits));
    comparisons.push_back(std::move(comparison));
  }
  return comparisons;
}

}  // namespace dsnn
