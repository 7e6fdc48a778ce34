#pragma once

#include "train/run_folder.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dsnn::reproduce {

/// The circumstances of the training of a cell.
struct Circumstances {
  std::string commit;  ///< of the build, or "unknown"
  int jobs = 0, cores = 0;
  std::string processor;

  bool operator==(const Circumstances&) const = default;
};
/// Those of this program and machine.
Circumstances current_circumstances(int jobs);

/// The results of training on all splits, with one seed or several.
struct CellScores {
  std::vector<double> accuracies;    ///< test accuracy, or another score, in percent, by split:
                                     ///< of several seeds the mean
  std::vector<std::uint64_t> seeds;  ///< of the trainings
  std::vector<double> seed_means;    ///< over the splits, for each seed
  bool is_of_search = false;         ///< whether the seed is the one that the search chose
  double validation = 0;             ///< mean of the same score on validation
  double seconds = 0;                ///< of training, summed over the splits
  double wall_seconds = 0;           ///< spent by all calls of the command on the cell
  std::vector<Circumstances> circumstances;  ///< distinct circumstances of its training
  Arithmetic arithmetic;                     ///< used for it
  int num_splits = 0, num_failed = 0;        ///< of all seeds; those whose training failed
  std::string failure;                       ///< of the first of them

  MeanAndDeviation mean() const { return mean_and_deviation(accuracies); }
  /// Of the means of the seeds; 0 with one seed.
  double deviation_over_seeds() const {
    return seed_means.size() < 2 ? 0 : mean_and_deviation(seed_means).deviation;
  }
};

/// The training of a cell on all splits with one seed.
struct SeedRun {
  std::uint64_t seed = 0;
  std::filesystem::path folder;  ///< of the run
  bool is_of_search = false;     ///< whether the search chose the seed: such a run is not trained
                                 ///< any more, and shown only while no other is
  std::optional<CellScores> scores = {};  ///< after training
  std::string failure = {};               ///< why it could not be trained

  bool is_pending() const { return !is_of_search && !scores && failure.empty(); }
};

/// The distance of our mean from the paper's, in the paper's standard deviations.
enum class Mark { kAgrees, kClose, kDiffers };  // at most one; at most two; more
Mark mark_of(double ours, const MeanAndDeviation& paper);
const char* to_text(Mark mark);

/// A model on a dataset: a place in a table.
struct Cell {
  std::string model, column;
  std::string score = "accuracy";   ///< the name of the score shown, in result.json
  std::optional<RunConfig> config;  ///< none: cannot be trained
  int members = 1;                  ///< networks whose probabilities are averaged
  bool is_selected = true;          ///< whether it is to be trained now
  std::vector<SeedRun> runs;        ///< one for each seed
  std::filesystem::path stored;     ///< the file with its stored result
  double test_per_train = 0;        ///< test nodes of a split over its training nodes
  bool has_other_data = false;      ///< whether the data differ from those of its configuration
  std::optional<MeanAndDeviation> paper;
  std::optional<CellScores> scores;  ///< of the runs that are shown, after training
  std::string failure;               ///< why one of them could not be trained

  /// Sets scores and failure from the runs.
  void combine_runs();
  /// The runs that are shown: the trained ones of new seeds, else that of the search, if any.
  std::vector<const SeedRun*> shown_runs() const;
  RunConfig config_of(const SeedRun& run) const;

  /// The model that is trained; the name of its row may tell more.
  const std::string& trained_model() const {
    return config && !config->model.empty() ? config->model : model;
  }
  bool has_failed() const { return !failure.empty() || (scores && scores->num_failed > 0); }
  /// Whether we have a result to show.
  bool is_scored() const { return scores && !has_failed(); }
  bool is_pending() const { return config && !scores && failure.empty(); }
  /// Whether there are scores, but not of all new seeds.
  bool is_incomplete() const;
  /// Our mean minus the paper's, and its mark; nothing if either is missing.
  std::optional<double> difference() const;
  std::optional<Mark> mark() const;
};

/// The scores in a run folder, if it contains this run and all its splits are trained. `score`:
/// which of the scores in result.json.
std::optional<CellScores> read_scores(const std::filesystem::path& folder, const RunConfig& config,
                                      std::size_t num_splits,
                                      const std::string& score = "accuracy");

/// Adds to the wall_seconds and circumstances that read_scores() returns.
void add_wall_seconds(const std::filesystem::path& folder, double seconds,
                      const Circumstances& circumstances);

/// Whether another process is training into the folder.
bool is_in_use(const std::filesystem::path& folder);

/// If the folder contains another run, renames it to FOLDER.old-N. Returns the new name, or
/// nothing.
std::filesystem::path set_other_run_aside(const std::filesystem::path& folder,
                                          const RunConfig& config);

}  // namespace dsnn::reproduce
