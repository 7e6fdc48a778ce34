#pragma once

#include "reproduce/document.h"
#include "reproduce/grid.h"

#include <string>

namespace dsnn::reproduce {

/// The dataset of a column of DirLinkBench, with its splits: DATASET.npz in the folder `links` of
/// `data_dir`, or of $DSNN_DATA. Throws Error if it is not there.
Dataset dirlink_dataset(const std::string& column, const std::string& data_dir);
/// Hits@100 next to the published results, and the other metrics of our models.
Document make_dirlink_report(const Grid& grid);

/// A column of the table of links: "texas.direction".
struct LinkColumn {
  std::string dataset, question;
};
/// Throws Error if there is no such question.
LinkColumn link_column(const std::string& column);
/// Accuracies of the questions, and what directions are worth for each.
Document make_links_report(const Grid& grid);

}  // namespace dsnn::reproduce
