#pragma once

#include "dsnn/data/dataset.h"

#include "reproduce/document.h"
#include "reproduce/grid.h"

#include <string>

// The paper's figure: directed block models whose communities only directions tell apart, by the
// probability alpha_out of an edge between them.
namespace dsnn::reproduce {

/// alpha_out as columns are named: "0.05". Throws Error if it is no probability.
std::string figure2_column(const std::string& alpha_out);

/// The graph of a column.
Dataset figure2_dataset(const std::string& column);

/// The report with the figure at its head.
Document make_figure2_report(const Grid& grid);

}  // namespace dsnn::reproduce
