#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"
#include "dsnn/train/run.h"
#include "dsnn/train/scores.h"
#include "dsnn/train/train.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace dsnn {

/// Runs whose probabilities are averaged. Its folder contains ensemble.json, which lists the
/// folders of the runs.
class DSNN_API Ensemble {
 public:
  /// Opens the folder of an ensemble or of a single run, which is an ensemble of one.
  explicit Ensemble(const std::filesystem::path& folder, const std::string& device = "cpu");

  /// Whether the folder contains an ensemble.
  static bool is_in(const std::filesystem::path& folder);

  const std::vector<Run>& members() const { return members_; }
  /// The first member; all members share classes, names and splits.
  const Run& first() const { return members_.front(); }
  bool is_finished() const;

  /// Logarithms of the averaged probabilities [n, classes]; for a single member its logits.
  std::vector<float> logits(int split, const Dataset& dataset) const;
  /// The same for several splits: what models make of the graph is made once.
  std::vector<std::vector<float>> logits(const std::vector<int>& splits,
                                         const Dataset& dataset) const;
  /// Scores on the test nodes of splits, as Run::test_scores().
  std::vector<Scores> test_scores(const std::vector<int>& splits, const Dataset& dataset) const;

 private:
  std::vector<Run> members_;
};

/// Writes ensemble.json; members are folders of runs, relative to the folder.
DSNN_API void write_ensemble(const std::filesystem::path& folder,
                             const std::vector<std::string>& members);

/// Scores of averaged probabilities on a split.
struct EnsembleScores {
  int split = 0;
  Scores validation, test;
  std::int64_t num_validation = 0, num_test = 0;
};
/// Classes are numbered as in the dataset that the members were trained on.
DSNN_API EnsembleScores ensemble_scores(const Ensemble& ensemble, int split,
                                        const Dataset& dataset);

/// The result of train_members().
struct MembersResult {
  std::vector<TrainResult> members;
  std::vector<EnsembleScores> splits;
};
/// Trains `count` members of one model, with consecutive seeds from options.seed, into
/// options.folder/member-1 and so on. `begin_member` is called before each. With options.resume,
/// complete members are kept.
DSNN_API MembersResult train_members(const Dataset& dataset, const TrainOptions& options, int count,
                                     const std::function<void(int)>& begin_member = {});

}  // namespace dsnn
