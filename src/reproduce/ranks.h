#pragma once

#include "reproduce/document.h"
#include "reproduce/grid.h"

#include <optional>
#include <string>
#include <vector>

namespace dsnn::reproduce {

/// Models compared over several datasets by their ranks [eq:ranks] (Demsar, 2006).
struct Ranks {
  struct Model {
    std::string name;
    double mean_rank = 0;  ///< over the columns; 1 is the best, ties share their ranks
  };
  std::vector<Model> models;  ///< the best first
  std::size_t num_columns = 0;
  double p = 1;                    ///< of Friedman's test, in the form of Iman and Davenport
  double critical_difference = 0;  ///< of mean ranks, by Nemenyi's test at 0.05
};

/// The models that have a score in every column; nothing for fewer than three models or columns.
std::optional<Ranks> rank_models(const Grid& grid);

/// The value that the range of this many standard normal variables, over sqrt(2), exceeds with
/// probability p: Nemenyi's q.
double nemenyi_quantile(std::size_t count, double p);

/// The mean ranks on a line. Bars connect models whose ranks differ by less than the critical
/// difference.
std::string rank_diagram(const Ranks& ranks);

/// A heading, a paragraph and the diagram; nothing if there is nothing to rank.
void add_ranks(Document& document, const Grid& grid, const std::string& column_word);

}  // namespace dsnn::reproduce
