#pragma once

#include "dsnn/config/config.h"
#include "dsnn/data/dataset.h"
#include "dsnn/train/run_config.h"

#include "cli/command_line.h"
#include "cli/graph_arguments.h"

#include <optional>
#include <string>
#include <vector>

namespace dsnn::cli {

/// --task and the options that only links have: settings of a configuration.
struct TaskArguments {
  std::optional<TaskKind> task;
  std::vector<std::string> settings;
};
void add_task_arguments(Command& app, TaskArguments& arguments);

/// The settings of the options, with --num-splits and --split-seed of links among them. Throws
/// Error for options that the task does not have.
std::vector<std::string> settings_of(const TaskArguments& arguments,
                                     const DatasetArguments& dataset, TaskKind task);

/// The dataset for a task: load_for_training() for nodes; for links without drawing splits of
/// nodes.
Dataset load_for_task(const GraphArguments& graph, const DatasetArguments& arguments,
                      TaskKind task);

}  // namespace dsnn::cli
