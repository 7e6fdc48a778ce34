#include "dsnn/data/matrix_market.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"
#include "dsnn/version.h"

#include "support/test_files.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

namespace dsnn {
namespace {

using testing::contains;
using testing::ends_with;
using testing::message_of;
using testing::read_text;
using testing::TempDir;
using testing::write_text;

const std::string kVersionLine = std::string("% dsnn ") + DSNN_VERSION + "\n";

class MatrixMarketTest : public ::testing::Test {
 protected:
  std::string written(const BlockSparseMatrix& matrix) {
    write_matrix_market(dir_ / "m.mtx", matrix);
    return read_text(dir_ / "m.mtx");
  }

  TempDir dir_;
};

// [ 2      i ]
// [ -i  -0.5 ]
BlockSparseMatrix two_by_two() {
  BlockSparseMatrix matrix;
  matrix.num_block_cols = 2;
  matrix.row_offsets = {0, 2, 4};
  matrix.cols = {0, 1, 0, 1};
  matrix.values = {2, {0, 1}, {0, -1}, -0.5};
  return matrix;
}

TEST_F(MatrixMarketTest, WritesTheLowerTriangle) {
  EXPECT_EQ(written(two_by_two()), "%%MatrixMarket matrix coordinate complex hermitian\n" +
                                       kVersionLine +
                                       "2 2 3\n"
                                       "1 1 2 0\n"
                                       "2 1 0 -1\n"
                                       "2 2 -0.5 0\n");
}

TEST_F(MatrixMarketTest, WritesARealMatrixAsSymmetric) {
  BlockSparseMatrix matrix = two_by_two();
  matrix.values = {2, -1, -1, 0.1};
  EXPECT_EQ(written(matrix), "%%MatrixMarket matrix coordinate real symmetric\n" + kVersionLine +
                                 "2 2 3\n"
                                 "1 1 2\n"
                                 "2 1 -1\n"
                                 "2 2 0.1\n");
}

TEST_F(MatrixMarketTest, LeavesOutZerosAndTheImaginaryPartsOfTheDiagonal) {
  BlockSparseMatrix matrix = two_by_two();
  // Rounding errors on the diagonal must not make the matrix complex or add entries.
  matrix.values = {{3, 1e-17}, 0, -0.0, {0, 1e-17}};
  EXPECT_EQ(written(matrix), "%%MatrixMarket matrix coordinate real symmetric\n" + kVersionLine +
                                 "2 2 1\n"
                                 "1 1 3\n");
}

// Blocks of 2 x 2: rows run across the blocks, and the diagonal blocks are cut at the diagonal.
TEST_F(MatrixMarketTest, WritesBlocksRowByRow) {
  BlockSparseMatrix matrix;
  matrix.block_dim = 2;
  matrix.num_block_cols = 2;
  matrix.row_offsets = {0, 1, 3};
  matrix.cols = {0, 0, 1};
  matrix.values = {1, 99, 2, 3, 4, 5, 6, 7, 8, 99, 9, 10};
  EXPECT_EQ(written(matrix), "%%MatrixMarket matrix coordinate real symmetric\n" + kVersionLine +
                                 "4 4 10\n"
                                 "1 1 1\n"
                                 "2 1 2\n2 2 3\n"
                                 "3 1 4\n3 2 5\n3 3 8\n"
                                 "4 1 6\n4 2 7\n4 3 9\n4 4 10\n");
}

TEST_F(MatrixMarketTest, KeepsEveryDigit) {
  BlockSparseMatrix matrix = two_by_two();
  const double values[] = {0.1 + 0.2, 1.0 / 3, std::numeric_limits<double>::denorm_min(),
                           -std::numeric_limits<double>::max()};
  matrix.values = {values[0], 0, {values[1], values[2]}, values[3]};
  std::istringstream text(written(matrix));
  std::string line;
  for (int i = 0; i < 3; ++i) std::getline(text, line);
  std::vector<double> back;
  std::string row, column, real, imaginary;
  while (text >> row >> column >> real >> imaginary) {
    back.push_back(std::strtod(real.c_str(), nullptr));
    back.push_back(std::strtod(imaginary.c_str(), nullptr));
  }
  EXPECT_EQ(back, (std::vector<double>{values[0], 0, values[1], values[2], values[3], 0}));
}

TEST_F(MatrixMarketTest, WritesAnEmptyMatrix) {
  EXPECT_EQ(written({}),
            "%%MatrixMarket matrix coordinate real symmetric\n" + kVersionLine + "0 0 0\n");
}

TEST_F(MatrixMarketTest, WritesLargeMatricesInPiecesAndReports) {
  constexpr std::int32_t kSize = 300'000;
  BlockSparseMatrix matrix;
  matrix.num_block_cols = kSize;
  for (std::int32_t i = 0; i < kSize; ++i) {
    matrix.cols.push_back(i);
    matrix.row_offsets.push_back(i + 1);
    matrix.values.push_back(i + 1);
  }
  int num_reports = 0;
  set_progress_observer([&](const ProgressUpdate& update) {
    EXPECT_STREQ(update.stage, "writing");
    EXPECT_EQ(update.total, kSize);
    ++num_reports;
  });
  std::istringstream text(written(matrix));
  set_progress_observer({});
  EXPECT_GT(num_reports, 2);
  std::string line;
  for (int i = 0; i < 3; ++i) std::getline(text, line);
  EXPECT_EQ(line, "300000 300000 300000");
  for (std::int64_t i = 1; i <= kSize; ++i) {
    std::int64_t row = 0, column = 0, value = 0;
    ASSERT_TRUE(text >> row >> column >> value);
    ASSERT_TRUE(row == i && column == i && value == i) << i;
  }
}

TEST_F(MatrixMarketTest, RefusesWhatIsNotHermitian) {
  write_text(dir_ / "m.mtx", "old");
  const auto error_of = [&](const BlockSparseMatrix& matrix) {
    return message_of<Error>([&] { written(matrix); });
  };
  BlockSparseMatrix wide = two_by_two();
  wide.num_block_cols = 3;
  EXPECT_TRUE(ends_with(error_of(wide),
                        "m.mtx: cannot write: the matrix is 2 x 3, expected a square matrix"));
  BlockSparseMatrix infinite = two_by_two();
  infinite.values[2] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(ends_with(error_of(infinite), "entry (1, 0) of the matrix is not finite"));
  EXPECT_EQ(read_text(dir_ / "m.mtx"), "old");
  EXPECT_EQ(dir_.list(), std::vector<std::string>{"m.mtx"});
}

TEST_F(MatrixMarketTest, SaysWhyItCannotWrite) {
  EXPECT_EQ(message_of<Error>([] { write_matrix_market("/dev/full", two_by_two()); }),
            "/dev/full: cannot write: No space left on device");
  EXPECT_TRUE(
      ends_with(message_of<Error>([&] { write_matrix_market(dir_ / "no/m", two_by_two()); }),
                "no/m: cannot create: No such file or directory"));
  EXPECT_NO_THROW(write_matrix_market("/dev/null", two_by_two()));
}

}  // namespace
}  // namespace dsnn
