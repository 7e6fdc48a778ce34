#include "report/curves.h"

#include "dsnn/util/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

namespace dsnn {
namespace {

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t end = line.find(',');
    fields.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

}  // namespace

LearningCurves read_curves(const std::filesystem::path& path, const std::string& validation) {
  const auto fail = [&](std::size_t line, const std::string& what) {
    throw Error(fmt::format("{}: line {}: {}", path.string(), line, what));
  };
  std::ifstream file(path, std::ios::binary);
  std::string text;
  if (!file || !std::getline(file, text)) {
    throw Error(fmt::format("{}: cannot read, expected the metrics of a run", path.string()));
  }
  const std::string head = text;  // the names point into it
  const std::vector<std::string_view> names = fields_of(head);
  LearningCurves curves;
  struct Column {
    std::size_t place;
    std::vector<double>& numbers;
    double scale;
  };
  const auto column = [&](std::string_view name, std::vector<double>& numbers, double scale) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) fail(1, fmt::format("is damaged (no column '{}')", name));
    return Column{static_cast<std::size_t>(found - names.begin()), numbers, scale};
  };
  const Column columns[] = {column("train_loss", curves.train_loss, 1),
                            column("val_loss", curves.validation_loss, 1),
                            column("train_accuracy", curves.train_accuracy, 0.01),
                            column(validation, curves.validation_accuracy, 0.01)};
  for (std::size_t line = 2; std::getline(file, text); ++line) {
    const std::vector<std::string_view> fields = fields_of(text);
    if (fields.size() != names.size()) {
      fail(line, fmt::format("is damaged ({} values, expected {})", fields.size(), names.size()));
    }
    for (const Column& c : columns) {
      const std::string_view field = fields[c.place];
      double number = 0;
      const char* const end = field.data() + field.size();
      const auto [stop, error] = std::from_chars(field.data(), end, number);
      if (error != std::errc() || stop != end) {
        fail(line, fmt::format("is damaged ('{}' is not a number)", field));
      }
      c.numbers.push_back(c.scale * number);
    }
  }
  return curves;
}

}  // namespace dsnn
