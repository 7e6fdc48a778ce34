#pragma once

#include "dsnn/parts/ranks.h"

#include "train/class_counts.h"

namespace dsnn {

/// Replaces the counts of each part by those of all. Collective.
void add_up(ClassCounts& counts, Ranks& ranks);

}  // namespace dsnn
