#pragma once

#include <map>
#include <string>
#include <vector>

namespace dsnn::reproduce {

/// Estimates the time of remaining cells from those of the same column, else from all so far.
class Estimate {
 public:
  void add(const std::string& column, double seconds) {
    columns_[column].add(seconds);
    all_.add(seconds);
  }
  /// For a cell of each of these columns; 0 if nothing is known.
  double seconds_for(const std::vector<std::string>& columns) const {
    double sum = 0;
    for (const std::string& column : columns) {
      const auto found = columns_.find(column);
      sum += (found == columns_.end() ? all_ : found->second).mean();
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
  std::map<std::string, Mean> columns_;
  Mean all_;
};

}  // namespace dsnn::reproduce
