#include "reproduce/train_one.h"

#include "dsnn/train/ensemble.h"
#include "dsnn/util/output_file.h"

#include "train/run_folder.h"

#include <algorithm>
#include <utility>

namespace dsnn::reproduce {
namespace {

/// A result like that of one network.
TrainResult joined(const MembersResult& ensemble, const RunConfig& config) {
  TrainResult result = {config, {}};
  for (std::size_t i = 0; i < ensemble.splits.size(); ++i) {
    const EnsembleScores& scores = ensemble.splits[i];
    SplitResult split;
    split.split = scores.split;
    split.validation = scores.validation;
    split.test = scores.test;
    split.num_validation = scores.num_validation;
    split.num_test = scores.num_test;
    split.arithmetic = ensemble.members.front().splits[i].arithmetic;
    for (const TrainResult& member : ensemble.members) {
      const SplitResult& of_member = member.splits[i];
      split.best_epoch = std::max(split.best_epoch, of_member.best_epoch);
      split.epochs += of_member.epochs;
      split.seconds += of_member.seconds;
      split.arithmetic = split.arithmetic.joined_with(of_member.arithmetic);
      if (split.failure.empty()) split.failure = of_member.failure;
    }
    result.splits.push_back(std::move(split));
  }
  return result;
}

}  // namespace

TrainResult train_one(const Cell& cell, const RunConfig& config, const Dataset& dataset,
                      TrainOptions options) {
  options.model = cell.trained_model();
  options.config = config.config;
  options.seed = config.seed;
  if (cell.members == 1) return train(dataset, options);
  TrainResult result = joined(train_members(dataset, options, cell.members), config);
  write_file(options.folder / "config.toml", write_toml(config));
  write_file(options.folder / "result.json", result_json(result));
  return result;
}

}  // namespace dsnn::reproduce
