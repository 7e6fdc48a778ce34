#include "data/dates.h"

#include <gtest/gtest.h>

namespace dsnn {
namespace {

TEST(ParseDate, CountsDays) {
  EXPECT_EQ(parse_date("1970-01-01"), 0);
  EXPECT_EQ(parse_date("1970-02-01"), 31);
  EXPECT_EQ(parse_date("1969-12-31"), -1);
  EXPECT_EQ(parse_date("2024-02-29"), 19782);  // date -u -d 2024-02-29 +%s, over 86400
}

TEST(ParseDate, TakesATime) {
  EXPECT_EQ(parse_date("1970-01-02 12:00"), 1.5);
  EXPECT_EQ(parse_date("1970-01-02T06:00:00Z"), 1.25);
  EXPECT_DOUBLE_EQ(parse_date("1970-01-01T00:00:21.6").value_or(0), 21.6 / 86400);
}

TEST(ParseDate, RefusesOtherTexts) {
  for (const char* text : {"", "1970", "1970-1-1", "1970-01", "1970-13-01", "2023-02-29",
                           "1970-01-01x", "1970-01-01 25:00", "1970-01-01 12:60", "1970-01-01 12",
                           "1970-01-01T", "01.02.1970", "-970-01-01", "19700101"}) {
    EXPECT_FALSE(parse_date(text)) << text;
  }
}

}  // namespace
}  // namespace dsnn
