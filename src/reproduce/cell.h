#pragma once

#include "train/run_folder.h"

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

/// The results of training on all splits.
struct CellScores {
  std::vector<double> accuracies;  ///< test accuracy, or another score, in percent, by split
  double validation = 0;           ///< mean of the same score on validation
  double seconds = 0;              ///< of training, summed over the splits
  double wall_seconds = 0;         ///< spent by all calls of the command on the cell
  std::vector<Circumstances> circumstances;  ///< distinct circumstances of its training
  Arithmetic arithmetic;                     ///< used for it
  int num_failed = 0;                        ///< splits whose training failed
  std::string failure;                       ///< of the first of them

  MeanAndDeviation mean() const { return mean_and_deviation(accuracies); }
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
  bool is_selected = true;          ///< whether it is to be trained now
  std::filesystem::path folder;     ///< of its run; FOLDER.json is its stored result
  double test_per_train = 0;        ///< test nodes of a split over its training nodes
  bool has_other_data = false;      ///< whether the data differ from those of its configuration
  std::optional<MeanAndDeviation> paper;
  std::optional<CellScores> scores;  ///< after training
  std::string failure;               ///< why it could not be trained

  /// The model that is trained; the name of its row may tell more.
  const std::string& trained_model() const {
    return config && !config->model.empty() ? config->model : model;
  }
  bool has_failed() const { return !failure.empty() || (scores && scores->num_failed > 0); }
  /// Whether we have a result to show.
  bool is_scored() const { return scores && !has_failed(); }
  bool is_pending() const { return config && !scores && failure.empty(); }
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
