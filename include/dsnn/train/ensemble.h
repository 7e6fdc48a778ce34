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

/// Runs whose probabilities are averaged. Its folder has ensemble.json, which names the folders of
/// the runs.
class DSNN_API Ensemble {
 public:
  /// Opens a folder of an ensemble, or of a single run: an ensemble of one.
  explicit Ensemble(const std::filesystem::path& folder);

  /// Whether the folder is that of an ensemble.
  static bool is_in(const std::filesystem::path& folder);

  const std::vector<Run>& members() const { return members_; }
  /// What all members share: classes, names, splits.
  const Run& first() const { return members_.front(); }
  bool is_finished() const;

  /// Logarithms of the averaged probabilities [n, classes]; of a single member its logits.
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

/// Trains `count` members of one model, with the seeds from options.seed on, into
/// options.folder/member-1 and so on. `begin_member` is called before each. With options.resume,
/// members that are complete are left as they are.
struct MembersResult {
  std::vector<TrainResult> members;
  std::vector<EnsembleScores> splits;
};
DSNN_API MembersResult train_members(const Dataset& dataset, const TrainOptions& options, int count,
                                     const std::function<void(int)>& begin_member = {});

}  // namespace dsnn
