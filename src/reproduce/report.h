#pragma once

#include "reproduce/document.h"
#include "reproduce/grid.h"

#include <string>

namespace dsnn::reproduce {

/// How many cells agree with the paper.
struct Summary {
  int agree = 0, close = 0, differ = 0;
  int unpublished = 0;  ///< trained, but not in the paper
  int failed = 0, pending = 0;
  int incomplete = 0;  ///< trained, but not with all seeds

  std::string text() const;  ///< a sentence
};
Summary summarise(const Grid& grid);

/// Our results next to the paper's, with marks; DSNN against NSD; chosen parameters; circumstances.
/// `score_word`: what the scores are.
Document make_report(const Grid& grid, const std::string& title, const std::string& column_word,
                     const std::string& score_word = "accuracy");
/// A row for each cell.
std::string report_csv(const Grid& grid, const std::string& column_word);

// Parts shared with other reports.
std::string score_text(const MeanAndDeviation& score);  ///< "81.23 +- 4.56"
/// The accuracies of all splits, for a CSV field; empty if they have no mean.
std::string accuracies_text(const Cell& cell);
std::string p_text(double p);  ///< "0.034", "< 0.001"
Document::TableCell plain(std::string text);
/// The failures of cells, one paragraph each, and the circumstances of the others.
void add_footer(Document& document, const Grid& grid);

}  // namespace dsnn::reproduce
