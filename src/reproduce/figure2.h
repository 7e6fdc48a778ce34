#pragma once

#include "dsnn/data/dataset.h"

#include "reproduce/document.h"
#include "reproduce/grid.h"

#include <string>

// The paper's figure: directed block models whose communities differ only in arc directions, by the
// probability alpha_out of an edge between them.
namespace dsnn::reproduce {

/// alpha_out as the name of a column: "0.05". Throws Error if it is not a probability.
std::string figure2_column(const std::string& alpha_out);

/// The graph of a column.
Dataset figure2_dataset(const std::string& column);

/// The report with the figure at the top.
Document make_figure2_report(const Grid& grid);

}  // namespace dsnn::reproduce
