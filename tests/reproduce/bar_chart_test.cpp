#include "reproduce/bar_chart.h"

#include "reproduce/made_up_grid.h"
#include "support/test_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace dsnn::reproduce {
namespace {

using testing::contains;
using testing::made_up_cell;
using testing::made_up_grid;

/// Reads the XML elements, attributes and entities of a drawing. Reports what is wrong, and
/// collects the numbers in attributes.
class XmlChecker {
 public:
  explicit XmlChecker(const std::string& text) : text_(text) {}

  std::string check() {
    while (at_ < text_.size() && problem_.empty()) {
      if (text_[at_] == '<') {
        tag();
      } else {
        character();
      }
    }
    if (problem_.empty() && !open_.empty()) problem_ = open_.back() + " is not closed";
    return problem_;
  }
  const std::vector<double>& numbers() const { return numbers_; }

 private:
  void character() {
    const char c = text_[at_];
    if (open_.empty() && std::isspace(static_cast<unsigned char>(c)) == 0)
      problem_ = "text outside";
    if (c == '&') {
      const std::size_t end = text_.find(';', at_);
      if (end == std::string::npos || end - at_ > 8) problem_ = "a bare &";
    }
    ++at_;
  }

  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '-' || text_[at_] == ':')) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  void tag() {
    ++at_;
    const bool is_end = text_[at_] == '/';
    at_ += is_end;
    const std::string element = name();
    if (element.empty()) problem_ = "a bare <";
    if (is_end) {
      if (open_.empty() || open_.back() != element) problem_ = element + " closes nothing";
      if (!open_.empty()) open_.pop_back();
    } else {
      if (open_.empty() && has_root_) problem_ = "a second root";
      has_root_ = true;
      open_.push_back(element);
    }
    while (problem_.empty() && text_[at_] == ' ') attribute();
    if (text_[at_] == '/') {
      ++at_;
      open_.pop_back();
    }
    if (at_ >= text_.size() || text_[at_] != '>') problem_ = element + " has no end";
    ++at_;
  }

  void attribute() {
    ++at_;
    const std::string key = name();
    const std::size_t end = text_.find('"', at_ + 2);
    if (key.empty() || text_.compare(at_, 2, "=\"") != 0 || end == std::string::npos) {
      problem_ = "attribute " + key;
      return;
    }
    const std::string value = text_.substr(at_ + 2, end - at_ - 2);
    if (value.find_first_of("<&") != std::string::npos) problem_ = "value " + value;
    for (const char* word : {"x", "y", "x1", "x2", "y1", "y2", "width", "height"}) {
      if (key != word) continue;
      char* stop = nullptr;
      numbers_.push_back(std::strtod(value.c_str(), &stop));
      if (*stop != 0 || value.empty()) problem_ = key + " is " + value;
    }
    at_ = end + 1;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::vector<std::string> open_;
  bool has_root_ = false;
  std::vector<double> numbers_;
  std::string problem_;
};

void expect_well_formed(const std::string& svg) {
  XmlChecker checker(svg);
  EXPECT_EQ(checker.check(), "") << svg;
  EXPECT_FALSE(checker.numbers().empty());
  for (const double number : checker.numbers()) {
    EXPECT_TRUE(std::isfinite(number) && number >= 0 && number <= 1000) << number;
  }
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

TEST(XmlCheckerTest, FindsFaults) {
  for (const char* text : {"<a", "<a>", "<a></b>", "<a/><b/>", "<a x=1/>", "<a x=\"nan?\"/>",
                           "<a>x & y</a>", "<a b=\"<\"/>"}) {
    const std::string copy = text;
    EXPECT_NE(XmlChecker(copy).check(), "") << text;
  }
}

TEST(BarChartTest, IsWellFormed) {
  const std::string svg = bar_chart(made_up_grid(), {"A & B <c>", "alpha \"out\"", 20});
  expect_well_formed(svg);
  EXPECT_TRUE(contains(svg, "<title>diag-dsnn: 84.00 ± 3.00 %</title>"));
  EXPECT_TRUE(contains(svg, "<title>gcn, paper: 55.14 ± 5.16 %</title>"));
  EXPECT_TRUE(contains(svg, ">chance</text>"));
  EXPECT_TRUE(contains(svg, "prefers-color-scheme:dark"));
  EXPECT_EQ(count(svg, "<path class=\"paper\""), 6 + 1u);  // and the legend's
}

// 0 % is at y = 338, 100 % at 18: a mean of 84, a deviation of 3, the paper's 85.
TEST(BarChartTest, BarsStandWhereTheirNumbersAre) {
  Grid grid;
  grid.models = {"mlp"};
  grid.columns = {"0.05"};
  grid.cells = {made_up_cell("mlp", "0.05", {81, 84, 87}, {{85, 1}})};
  const std::string svg = bar_chart(grid, {"t", "x", 20});
  const double centre = (58 + 960 - 62) / 2.0;  // of the only group
  const double width = 0.9 * (960 - 58 - 62);   // of its only bar
  const auto number = [](double x) { return fmt::format("{:.1f}", x); };
  const std::string x = number(centre - 0.42 * width);
  EXPECT_TRUE(contains(svg, "<rect x=\"" + x + "\" y=\"69.2\" width=\"" + number(0.84 * width) +
                                "\" height=\"268.8\""))
      << svg;
  const std::string stem = number(centre - 0.18 * width);
  EXPECT_TRUE(contains(svg, "x1=\"" + stem + "\" y1=\"59.6\" x2=\"" + stem + "\" y2=\"78.8\""));
  EXPECT_TRUE(contains(svg, "d=\"M" + number(centre + 0.18 * width) + " 61.5l"));
  EXPECT_TRUE(contains(svg, "y1=\"274.0\" x2=\"898.0\" y2=\"274.0\" stroke-dasharray"));  // chance
}

// Bars beyond the axis, one model, none at all.
TEST(BarChartTest, OfOddNumbers) {
  Grid grid;
  grid.models = {"mlp"};
  grid.columns = {"0.05"};
  grid.cells = {made_up_cell("mlp", "0.05", {99.9, 60}, {{100, 50}})};
  expect_well_formed(bar_chart(grid, {"t", "x", 0}));
  grid.cells = {made_up_cell("mlp", "0.05")};
  expect_well_formed(bar_chart(grid, {"t", "x", 0}));
  expect_well_formed(bar_chart(Grid(), {"", "", 50}));
}

}  // namespace
}  // namespace dsnn::reproduce
