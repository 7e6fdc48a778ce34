#pragma once

#include "reproduce/document.h"
#include "reproduce/grid.h"

#include <string>

namespace dsnn::reproduce {

/// How many cells agree with the paper.
struct Summary {
  int agree = 0, close = 0, differ = 0;
  int unpublished = 0;  ///< trained, but the paper has no number
  int failed = 0, pending = 0;

  std::string text() const;  ///< a sentence
};
Summary summarise(const Grid& grid);

/// Ours next to the paper's, with marks; DSNN against NSD; what was chosen; what it was made with.
Document make_report(const Grid& grid, const std::string& title, const std::string& column_word);
/// A row for each cell.
std::string report_csv(const Grid& grid, const std::string& column_word);

// Parts that other reports have too.
std::string score_text(const MeanAndDeviation& score);  ///< "81.23 +- 4.56"
/// Those of all splits, for a field of a CSV file; empty if there is no mean of them.
std::string accuracies_text(const Cell& cell);
std::string p_text(double p);  ///< "0.034", "< 0.001"
Document::TableCell plain(std::string text);
/// Why cells failed, a paragraph each, and what the others were trained with.
void add_footer(Document& document, const Grid& grid);

}  // namespace dsnn::reproduce
