#include "reproduce/paper.h"

#include "dsnn/util/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string_view>

namespace dsnn::reproduce {
namespace {

std::vector<std::string> fields_of(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::vector<std::string> fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    fields.emplace_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

bool read_number(const std::string& text, double& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && std::isfinite(number) && number >= 0;
}

}  // namespace

void add_once(std::vector<std::string>& words, const std::string& word) {
  if (std::ranges::find(words, word) == words.end()) words.push_back(word);
}

std::vector<std::string> PaperTable::models() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries) add_once(names, entry.model);
  return names;
}

std::vector<std::string> PaperTable::columns() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries) add_once(names, entry.column);
  return names;
}

std::optional<MeanAndDeviation> PaperTable::find(const std::string& model,
                                                 const std::string& column) const {
  const auto found = std::ranges::find_if(
      entries, [&](const Entry& e) { return e.model == model && e.column == column; });
  if (found == entries.end()) return std::nullopt;
  return found->score;
}

PaperTable read_paper(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) {
    throw Error(fmt::format("{}: cannot open, expected a CSV file with the paper's results",
                            path.string()));
  }
  PaperTable table;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::vector<std::string> fields = fields_of(line);
    const auto fail = [&](const char* what) {
      throw Error(fmt::format("{}:{}: {}", path.string(), number, what));
    };
    if (number == 1) {
      if (fields.size() != 4 || fields[0] != "model" || fields[2] != "mean" || fields[3] != "std") {
        fail("expected the heading model,dataset,mean,std");
      }
      continue;
    }
    PaperTable::Entry entry;
    if (fields.size() != 4 || fields[0].empty() || fields[1].empty() ||
        !read_number(fields[2], entry.score.mean) ||
        !read_number(fields[3], entry.score.deviation)) {
      fail("expected a model, a column, and its mean and standard deviation");
    }
    entry.model = fields[0];
    entry.column = fields[1];
    if (table.find(entry.model, entry.column)) fail("the cell occurs twice");
    table.entries.push_back(std::move(entry));
  }
  if (table.entries.empty()) {
    throw Error(
        fmt::format("{}: is empty, expected the heading model,dataset,mean,std and one "
                    "line per cell",
                    path.string()));
  }
  return table;
}

}  // namespace dsnn::reproduce
