#pragma once

#include "dsnn/train/scores.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dsnn::reproduce {

/// Published results, in the paper's order.
struct PaperTable {
  struct Entry {
    std::string model, column;
    MeanAndDeviation score;  ///< percent
  };
  std::vector<Entry> entries;

  std::vector<std::string> models() const;
  std::vector<std::string> columns() const;
  std::optional<MeanAndDeviation> find(const std::string& model, const std::string& column) const;
};

/// Reads a CSV file with a heading and rows 'model,COLUMN,mean,std', where COLUMN is the dataset or
/// another label of the cell. Throws Error with file and line.
PaperTable read_paper(const std::filesystem::path& path);

/// Adds a word unless it is present.
void add_once(std::vector<std::string>& words, const std::string& word);

}  // namespace dsnn::reproduce
