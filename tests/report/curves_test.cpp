#include "report/curves.h"

#include "dsnn/util/error.h"

#include "support/expect_error.h"
#include "support/test_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace dsnn {
namespace {

using testing::expect_error;
using testing::TempDir;
using testing::write_text;

const std::string kHeading = "epoch,train_loss,train_accuracy,val_loss,val_accuracy\n";

TEST(Curves, AreReadByTheirNames) {
  const TempDir dir;
  const LearningCurves curves =
      read_curves(write_text(dir / "metrics.csv", kHeading + "1,1.5,25,2,50\n2,0.5,75,nan,100\n"));
  EXPECT_EQ(curves.train_loss, (std::vector<double>{1.5, 0.5}));
  EXPECT_EQ(curves.train_accuracy, (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(curves.validation_accuracy, (std::vector<double>{0.5, 1}));
  EXPECT_EQ(curves.validation_loss[0], 2);
  EXPECT_TRUE(std::isnan(curves.validation_loss[1]));
}

TEST(Curves, SayWhatIsDamaged) {
  const TempDir dir;
  const std::string none = (dir / "none").string(), path = (dir / "m.csv").string();
  expect_error([&] { read_curves(none); }, none + ": cannot read, expected the metrics of a run");
  const auto fails = [&](const std::string& text, const std::string& sentence) {
    write_text(path, text);
    expect_error([&] { read_curves(path); }, path + ": " + sentence);
  };
  fails("epoch,train_loss\n", "line 1: is damaged (no column 'val_loss')");
  fails(kHeading + "1,2,3,4,5\n2,3\n", "line 3: is damaged (2 values, expected 5)");
  fails(kHeading + "1,2,3,x,5\n", "line 2: is damaged ('x' is not a number)");
}

}  // namespace
}  // namespace dsnn
