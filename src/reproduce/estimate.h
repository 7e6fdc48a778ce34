#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dsnn::reproduce {

/// Estimates the time of remaining trainings from those of the same cell, else of the same column,
/// else from all so far.
class Estimate {
 public:
  using Place = std::pair<std::string, std::string>;  ///< column and model

  void add(const Place& place, double seconds) {
    cells_[place].add(seconds);
    columns_[place.first].add(seconds);
    all_.add(seconds);
  }
  /// For a training at each of these places; 0 if nothing is known.
  double seconds_for(const std::vector<Place>& places) const {
    double sum = 0;
    for (const Place& place : places) {
      const auto cell = cells_.find(place);
      const auto column = columns_.find(place.first);
      sum += (cell != cells_.end()       ? cell->second
              : column != columns_.end() ? column->second
                                         : all_)
                 .mean();
    }
    return sum;
  }

 private:
  struct Mean {
    double sum = 0;
    int count = 0;
    void add(double value) { sum += value, ++count; }
    double mean() const { return count == 0 ? 0 : sum / count; }
  };
  std::map<Place, Mean> cells_;
  std::map<std::string, Mean> columns_;
  Mean all_;
};

}  // namespace dsnn::reproduce
