#pragma once

#include "util/internal_api.h"

#include <filesystem>
#include <string>
#include <vector>

namespace dsnn {

/// The training history of a split, one value per epoch; NaN if not finite. Accuracies are shares.
struct LearningCurves {
  std::vector<double> train_loss, validation_loss, train_accuracy, validation_accuracy;
};

/// From metrics.csv of a split. `validation`: the column of the validation scores. Throws Error
/// with the line if it is missing or damaged.
DSNN_INTERNAL_API LearningCurves read_curves(const std::filesystem::path& path,
                                             const std::string& validation = "val_accuracy");

}  // namespace dsnn
