#pragma once

#include "dsnn/config/config.h"
#include "dsnn/data/link_examples.h"

#include "util/internal_api.h"

#include <string>
#include <vector>

namespace dsnn {

/// The parameters of link prediction, without those of models, decoders and training.
DSNN_INTERNAL_API std::vector<Parameter> link_parameters();

/// What a configuration says about pairs. `auto` is resolved: the dataset's own link splits if it
/// has any, else MagNet's protocol; fixed pairs without an arc where the protocol has them.
DSNN_INTERNAL_API LinkOptions link_options(const Config& config, const Dataset& dataset);
/// Accuracy for directions and three classes, else the AUC, unless the configuration says
/// otherwise. Throws Error if it is not defined for the question.
DSNN_INTERNAL_API std::string link_metric(const Config& config);
DSNN_INTERNAL_API LinkQuestion link_question(const Config& config);
/// The number of splits of a dataset.
DSNN_INTERNAL_API int num_link_splits(const Config& config, const Dataset& dataset);

}  // namespace dsnn
