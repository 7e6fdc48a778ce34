#include "cli/cli_test.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <complex>
#include <map>

namespace dsnn {
namespace {

using testing::CliTest;
using testing::contains;
using testing::failed_with;
using testing::Json;
using testing::lines_of;
using testing::Outcome;
using testing::run_dsnn;
using testing::succeeded;
using testing::Words;
using testing::operator+;
using Number = std::complex<double>;

constexpr Number kI{0, 1};

/// The lower triangle of a matrix in a file.
struct Matrix {
  std::string header;
  std::int64_t size = 0;
  std::map<std::pair<int, int>, Number> entries;  // counted from 0
};

Matrix parse_matrix(const std::string& text) {
  Matrix matrix;
  const Words lines = lines_of(text);
  matrix.header = lines.at(0);
  std::size_t next = 1;
  while (lines.at(next).starts_with('%')) ++next;
  std::int64_t columns = 0;
  std::size_t num_entries = 0;
  std::istringstream(lines.at(next++)) >> matrix.size >> columns >> num_entries;
  EXPECT_EQ(columns, matrix.size);
  for (; next < lines.size(); ++next) {
    int row = 0;
    int column = 0;
    double real = 0;
    double imaginary = 0;
    std::istringstream fields(lines[next]);
    fields >> row >> column >> real;
    if (contains(matrix.header, "complex")) fields >> imaginary;
    EXPECT_TRUE(fields) << lines[next];
    EXPECT_GE(row, column);
    matrix.entries[{row - 1, column - 1}] = {real, imaginary};
  }
  EXPECT_EQ(matrix.entries.size(), num_entries);
  return matrix;
}

class LaplacianTest : public CliTest {
 protected:
  Matrix laplacian(const std::string& graph, const Words& options = {}) {
    const Outcome outcome =
        run_dsnn(Words{"laplacian", graph, "-o", path("L.mtx")} + Words(options));
    EXPECT_TRUE(succeeded(outcome));
    return parse_matrix(read("L.mtx"));
  }

  // 0 -> 1, 1 <-> 2; half-edges (0,1), (1,0), (1,2), (2,1).
  std::string mixed() { return write("mixed.txt", "# a comment\n0 1\n1 2\n2 1\n"); }
};

using Entries = std::map<std::pair<int, int>, Number>;
constexpr const char* kComplexHeader = "%%MatrixMarket matrix coordinate complex hermitian";
constexpr const char* kRealHeader = "%%MatrixMarket matrix coordinate real symmetric";

// L_01 = -i, so L_10 = +i in the lower triangle; at q = 1/4 all values are exact.
TEST_F(LaplacianTest, WritesTheTrivialSheafAtAQuarter) {
  const Matrix matrix = laplacian(mixed());
  EXPECT_EQ(matrix.header, kComplexHeader);
  EXPECT_EQ(matrix.size, 3);
  const Entries expected = {{{0, 0}, 1.}, {{1, 0}, kI}, {{1, 1}, 2.}, {{2, 1}, -1.}, {{2, 2}, 1.}};
  EXPECT_EQ(matrix.entries, expected);
  EXPECT_EQ(laplacian(mixed(), {"--q", "0.25", "--sheaf", "trivial"}).entries, expected);
}

TEST_F(LaplacianTest, WritesRealMatricesAsReal) {
  Entries expected = {{{0, 0}, 1.}, {{1, 0}, -1.}, {{1, 1}, 2.}, {{2, 1}, -1.}, {{2, 2}, 1.}};
  const Matrix undirected = laplacian(mixed(), {"--q", "0"});
  EXPECT_EQ(undirected.header, kRealHeader);
  EXPECT_EQ(undirected.entries, expected);
  expected[{1, 0}] = 1;
  const Matrix half = laplacian(mixed(), {"--q", "0.5"});
  EXPECT_EQ(half.header, kRealHeader);
  EXPECT_EQ(half.entries, expected);
}

// exp(2 pi i / 8) = (1 + i) / sqrt 2, with all digits.
TEST_F(LaplacianTest, WritesFullPrecision) {
  const Matrix matrix = laplacian(mixed(), {"--q", "0.125"});
  const Number entry = matrix.entries.at({1, 0});
  EXPECT_NEAR(entry.real(), -std::sqrt(0.5), 2e-16);
  EXPECT_NEAR(entry.imag(), std::sqrt(0.5), 2e-16);
}

// The magnetic Laplacian halves one-way weights: A_s = (A + A^T) / 2.
TEST_F(LaplacianTest, WritesTheMagneticSheaves) {
  const Entries expected = {
      {{0, 0}, .5}, {{1, 0}, .5 * kI}, {{1, 1}, 1.5}, {{2, 1}, -1.}, {{2, 2}, 1.}};
  for (const Words& sheaf : {Words{"--sheaf", "magnetic"}, {"--sheaf", "sign-magnetic"}}) {
    const Matrix matrix = laplacian(mixed(), sheaf);
    ASSERT_EQ(matrix.entries.size(), expected.size());
    for (const auto& [at, value] : expected) {
      EXPECT_LT(std::abs(matrix.entries.at(at) - value), 1e-15);
    }
  }
}

// w = 4 one way (L_01 = -4 i); w = (1 + 3) / 2 both ways, the stronger being 2 -> 1 (s_12 = -1,
// L_21 = -2 i); and w = -1, which changes the sign (L_03 = +i).
TEST_F(LaplacianTest, UsesWeights) {
  const std::string graph = write("w.txt", "0,1,4\n1 2 1\n2\t1 3\n0 3 -1 # negative\n");
  const Matrix matrix = laplacian(graph);
  const Entries expected = {{{0, 0}, 5.}, {{1, 0}, 4. * kI}, {{1, 1}, 6.}, {{2, 1}, -2. * kI},
                            {{2, 2}, 2.}, {{3, 0}, -kI},     {{3, 3}, 1.}};
  ASSERT_EQ(matrix.entries.size(), expected.size());
  for (const auto& [at, value] : expected) {
    EXPECT_LT(std::abs(matrix.entries.at(at) - value), 4e-15) << at.first << ' ' << at.second;
  }
}

TEST_F(LaplacianTest, Normalises) {
  const Matrix exact = laplacian(mixed(), {"--normalise", "exact"});
  const double root = std::sqrt(0.5);
  Entries expected = {
      {{0, 0}, 1.}, {{1, 0}, root * kI}, {{1, 1}, 1.}, {{2, 1}, -root}, {{2, 2}, 1.}};
  ASSERT_EQ(exact.entries.size(), expected.size());
  for (const auto& [at, value] : expected) {
    EXPECT_LT(std::abs(exact.entries.at(at) - value), 1e-15);
  }
  const Matrix augmented = laplacian(mixed(), {"--normalise", "augmented"});
  const double sixth = std::sqrt(1. / 6);
  expected = {{{0, 0}, .5}, {{1, 0}, sixth * kI}, {{1, 1}, 2. / 3}, {{2, 1}, -sixth}, {{2, 2}, .5}};
  for (const auto& [at, value] : expected) {
    EXPECT_LT(std::abs(augmented.entries.at(at) - value), 1e-15);
  }
  EXPECT_EQ(laplacian(mixed(), {"--normalise", "none"}).entries, laplacian(mixed()).entries);
}

// A second dimension whose off-diagonal entries have the other sign, a third like the first.
TEST_F(LaplacianTest, AddsFixedDimensions) {
  const Matrix matrix = laplacian(mixed(), {"--low-pass", "--high-pass"});
  EXPECT_EQ(matrix.size, 9);
  const Entries expected = {{{0, 0}, 1.}, {{1, 1}, 1.},  {{2, 2}, 1.}, {{3, 0}, kI}, {{4, 1}, -kI},
                            {{5, 2}, kI}, {{3, 3}, 2.},  {{4, 4}, 2.}, {{5, 5}, 2.}, {{6, 3}, -1.},
                            {{7, 4}, 1.}, {{8, 5}, -1.}, {{6, 6}, 1.}, {{7, 7}, 1.}, {{8, 8}, 1.}};
  EXPECT_EQ(matrix.entries, expected);
  EXPECT_EQ(laplacian(mixed(), {"--low-pass"}).entries.at({3, 1}), -kI);
  EXPECT_EQ(laplacian(mixed(), {"--high-pass"}).entries.at({3, 1}), kI);
}

// L_uu = sum F_h^2, L_10 = -T_10 F_10 F_01 with T_10 = -i.
TEST_F(LaplacianTest, UsesDiagonalMaps) {
  const std::string maps = write_array<double>("maps.npz", "maps", {4, 1}, {2, 3, 5, 7});
  const Matrix matrix = laplacian(mixed(), {"--maps", maps});
  const Entries expected = {
      {{0, 0}, 4.}, {{1, 0}, 6. * kI}, {{1, 1}, 34.}, {{2, 1}, -35.}, {{2, 2}, 49.}};
  EXPECT_EQ(matrix.entries, expected);
  const Matrix undirected = laplacian(mixed(), {"--maps", maps, "--q", "0"});
  EXPECT_EQ(undirected.entries.at({1, 0}), -6.);
}

// Two nodes, 0 -> 1: L_00 = F^T F, L_10 = -T_10 G^T F = i G^T F, L_11 = G^T G.
TEST_F(LaplacianTest, UsesGeneralMaps) {
  const std::string graph = write("two.txt", "0 1\n");
  const std::string maps =
      write_array<double>("maps.npz", "maps", {2, 2, 2}, {1, 2, 3, 4, 0, 1, 1, 5});
  const Matrix matrix = laplacian(graph, {"--maps", maps});
  const Entries expected = {
      {{0, 0}, 10.}, {{1, 0}, 14.},      {{1, 1}, 20.},      {{2, 0}, 3. * kI}, {{2, 1}, 4. * kI},
      {{2, 2}, 1.},  {{3, 0}, 16. * kI}, {{3, 1}, 22. * kI}, {{3, 2}, 5.},      {{3, 3}, 26.}};
  EXPECT_EQ(matrix.entries, expected);
}

// Complex maps have no phase; q is 0 by default and may be given as 0.
TEST_F(LaplacianTest, UsesComplexMaps) {
  const std::string graph = write("two.txt", "0 1\n");
  const std::string maps =
      write_array<Number>("maps.npz", "maps", {2, 1}, {Number(1, 2), Number(3, -1)});
  const Entries expected = {{{0, 0}, 5.}, {{1, 0}, Number(-1, -7)}, {{1, 1}, 10.}};
  EXPECT_EQ(laplacian(graph, {"--maps", maps}).entries, expected);
  EXPECT_EQ(laplacian(graph, {"--maps", maps, "--q", "0"}).entries, expected);
  EXPECT_TRUE(failed_with(run_dsnn({"laplacian", graph, "--maps", maps, "--q", "0.25", "-o", "x"}),
                          {"maps.npz: array 'maps' is complex", "charge must be 0", "0.25"}));
}

TEST_F(LaplacianTest, SaysTheSameInTextAndJson) {
  const Words command = {"laplacian", mixed(), "--low-pass", "-o", path("L.mtx")};
  EXPECT_EQ(run_dsnn(command).out,
            path("L.mtx") + ": 6 x 6 Laplacian (3 nodes, 2 edges, stalk dimension 2)\n");
  const std::string written = read("L.mtx");
  const Json result = json_of(command);
  EXPECT_EQ(result, (Json{{"output", path("L.mtx")},
                          {"nodes", 3},
                          {"edges", 2},
                          {"stalk_dim", 2},
                          {"rows", 6},
                          {"blocks", 7}}));
  EXPECT_EQ(read("L.mtx"), written);
}

TEST_F(LaplacianTest, ReadsArchivesAndTextsAlike) {
  const Matrix from_text = laplacian(mixed());
  const std::string archive = write_graph("g.npz", {0, 1, 1, 2, 2, 1});
  EXPECT_EQ(laplacian(archive).entries, from_text.entries);
}

TEST_F(LaplacianTest, ReplacesAnOldFile) {
  write("L.mtx", std::string(5000, 'x'));
  EXPECT_EQ(laplacian(mixed()).size, 3);
  EXPECT_EQ(dir_.list(), (Words{"L.mtx", "mixed.txt"}));
}

TEST_F(LaplacianTest, WritesWhereALinkPoints) {
  write("target.mtx", "old");
  std::filesystem::create_symlink("target.mtx", dir_ / "L.mtx");
  laplacian(mixed());
  EXPECT_TRUE(std::filesystem::is_symlink(dir_ / "L.mtx"));
  EXPECT_TRUE(read("target.mtx").starts_with("%%MatrixMarket"));
}

TEST_F(LaplacianTest, WritesNumbersAloneToTheStandardOutput) {
  laplacian(mixed());
  for (const Words& options : {Words{}, {"--json"}}) {
    const Outcome file = run_dsnn(Words{"laplacian", mixed(), "-o", "/dev/stdout"} + options);
    EXPECT_TRUE(succeeded(file));
    EXPECT_EQ(file.out, read("L.mtx"));
  }
  const std::string script =
      fmt::format("'{}' laplacian '{}' -o /dev/stdout | cat", DSNN_PROGRAM, mixed());
  EXPECT_EQ(testing::Process({"/bin/sh", "-c", script}).wait().out, read("L.mtx"));
}

// Other users may read it, like any file of this user.
TEST_F(LaplacianTest, GivesTheFileTheUsualPermissions) {
  laplacian(mixed());
  struct stat graph {};
  struct stat output {};
  ASSERT_EQ(::stat(path("mixed.txt").c_str(), &graph), 0);
  ASSERT_EQ(::stat(path("L.mtx").c_str(), &output), 0);
  EXPECT_EQ(output.st_mode, graph.st_mode);
}

TEST_F(LaplacianTest, RefusesAChargeThatHasNoEffect) {
  EXPECT_TRUE(failed_with(
      run_dsnn({"laplacian", mixed(), "--sheaf", "sign-magnetic", "--q", "0.1", "-o", path("L")}),
      {"--q has no effect with --sheaf sign-magnetic"}));
  EXPECT_FALSE(exists("L"));
}

}  // namespace
}  // namespace dsnn
