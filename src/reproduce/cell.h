#pragma once

#include "train/run_folder.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dsnn::reproduce {

/// What a cell was trained with.
struct Circumstances {
  std::string commit;  ///< that the program was built from, or "unknown"
  int jobs = 0, cores = 0;
  std::string processor;

  bool operator==(const Circumstances&) const = default;
};
/// Of this program and machine.
Circumstances current_circumstances(int jobs);

/// What training on all splits came to.
struct CellScores {
  std::vector<double> accuracies;  ///< test accuracy in percent, by split
  double validation = 0;           ///< mean validation accuracy in percent
  double seconds = 0;              ///< of training, added over the splits
  double wall_seconds = 0;  ///< that the command spent on the cell, however often it was begun
  std::vector<Circumstances> circumstances;  ///< all that it was trained with, each once
  Arithmetic arithmetic;                     ///< that made it
  int num_failed = 0;                        ///< splits whose training broke off
  std::string failure;                       ///< of the first of them

  MeanAndDeviation mean() const { return mean_and_deviation(accuracies); }
};

/// How far ours lies from the paper's mean, in its standard deviations.
enum class Mark { kAgrees, kClose, kDiffers };  // at most one; at most two; more
Mark mark_of(double ours, const MeanAndDeviation& paper);
const char* to_text(Mark mark);

/// A model on a dataset: a place in a table.
struct Cell {
  std::string model, column;
  std::optional<RunConfig> config;  ///< none: cannot be trained
  bool is_selected = true;          ///< whether it is to be trained now
  std::filesystem::path folder;     ///< of its run
  double test_per_train = 0;        ///< test nodes of a split over its training nodes
  bool has_other_data = false;      ///< than its configuration was made with
  std::optional<MeanAndDeviation> paper;
  std::optional<CellScores> scores;  ///< once it is trained
  std::string failure;               ///< why it could not be

  bool has_failed() const { return !failure.empty() || (scores && scores->num_failed > 0); }
  /// Whether there is a number of ours to show.
  bool is_scored() const { return scores && !has_failed(); }
  bool is_pending() const { return config && !scores && failure.empty(); }
  /// Ours minus the paper's, and the mark of it; nothing without either.
  std::optional<double> difference() const;
  std::optional<Mark> mark() const;
};

/// The scores in a run folder, if it holds this run and all splits of it are trained.
std::optional<CellScores> read_scores(const std::filesystem::path& folder, const RunConfig& config,
                                      std::size_t num_splits);

/// Adds to what read_scores() will tell as wall_seconds and circumstances.
void add_wall_seconds(const std::filesystem::path& folder, double seconds,
                      const Circumstances& circumstances);

/// Whether another process is training into the folder.
bool is_in_use(const std::filesystem::path& folder);

/// If the folder holds another run, renames it to FOLDER.old-N. Returns the new name, or nothing.
std::filesystem::path set_other_run_aside(const std::filesystem::path& folder,
                                          const RunConfig& config);

}  // namespace dsnn::reproduce
