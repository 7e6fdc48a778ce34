#pragma once

namespace dsnn::cli {

/// A command of the program dsnn-learn.
struct LearnCommand {
  const char* name;
  const char* help;
};

inline constexpr LearnCommand kTrain = {"train", "Train a model on the splits of a dataset"};
inline constexpr LearnCommand kModels = {"models", "List the models and their parameters"};
inline constexpr LearnCommand kLearnCommands[] = {kTrain, kModels};

}  // namespace dsnn::cli
