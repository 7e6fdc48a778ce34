#pragma once

namespace dsnn::cli {

/// A command of the program dsnn-learn.
struct LearnCommand {
  const char* name;
  const char* help;
};

inline constexpr LearnCommand kTrain = {"train", "Train a model on the splits of a dataset"};
inline constexpr LearnCommand kEvaluate = {"evaluate", "Test the models of a run"};
inline constexpr LearnCommand kPredict = {"predict", "Predict the classes of all nodes"};
inline constexpr LearnCommand kSweep = {"sweep", "Search for the best parameters of a model"};
inline constexpr LearnCommand kSweepReport = {"sweep-report", "Write a page about a sweep"};
inline constexpr LearnCommand kReproduce = {"reproduce",
                                            "Train what a paper reports, next to its numbers"};
inline constexpr LearnCommand kModels = {"models", "List the models and their parameters"};
inline constexpr LearnCommand kLearnCommands[] = {kTrain,       kEvaluate,  kPredict, kSweep,
                                                  kSweepReport, kReproduce, kModels};

}  // namespace dsnn::cli
