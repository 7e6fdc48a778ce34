#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/data/feature_preparation.h"
#include "dsnn/nn/model.h"
#include "dsnn/train/run.h"

#include "train/training_data.h"

#include <filesystem>
#include <memory>
#include <vector>

namespace dsnn {

/// A dataset as input of the models of a run, with its features matched to those of the training
/// data. Throws Error if they do not match. With a halo, a part of a dataset.
PreparedInput input_for(const Run& run, const Dataset& dataset,
                        const FeaturePreparation& preparation,
                        std::shared_ptr<const Halo> halo = {});

struct Run::Prepared : PreparedInput {};

/// All weights of a model, as stored in a run. Throws Error if they do not fit.
std::vector<float> read_weights(const std::filesystem::path& path, const nn::Model& model);

}  // namespace dsnn
