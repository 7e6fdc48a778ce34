#include "util/screen.h"

#include <gtest/gtest.h>

namespace dsnn {
namespace {

using Lines = std::vector<std::string>;

TEST(FitToScreen, CutsWhatWouldWrapOrScroll) {
  const Lines lines = {"twenty of thirty", "a", "b", "c"};
  EXPECT_EQ(fit_to_screen(lines, 5, 80), lines);  // one row is that of the cursor
  EXPECT_EQ(fit_to_screen(lines, 4, 6), (Lines{"twenty", "a", "  and "}));
  EXPECT_EQ(fit_to_screen(lines, 4, 80), (Lines{"twenty of thirty", "a", "  and 2 more"}));
  EXPECT_EQ(fit_to_screen(lines, 1, 80), (Lines{"twenty of thirty", "  and 3 more"}));
  EXPECT_TRUE(fit_to_screen({}, 24, 80).empty());
}

}  // namespace
}  // namespace dsnn
