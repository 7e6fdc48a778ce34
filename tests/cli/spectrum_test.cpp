#include "cli/cli_test.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

namespace dsnn {
namespace {

using testing::CliTest;
using testing::failed_with;
using testing::joined;
using testing::Json;
using testing::lines_of;
using testing::Outcome;
using testing::run_dsnn;
using testing::succeeded;
using testing::Words;
using testing::operator+;
using Numbers = std::vector<double>;
using Complex = std::complex<double>;

void expect_near(const Numbers& values, const Numbers& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-9) << i;
}

class SpectrumTest : public CliTest {
 protected:
  static Numbers values(const Words& arguments) {
    return json_of(Words{"spectrum"} + arguments)["eigenvalues"].get<Numbers>();
  }

  // 0 -> 1 -> ... -> n-1 -> 0
  std::string cycle(int n) {
    std::string text;
    for (int u = 0; u < n; ++u) text += fmt::format("{} {}\n", u, (u + 1) % n);
    return write(fmt::format("cycle{}.txt", n), text);
  }

  // Arcs from 0 to all others. A tree: the spectrum is that of the undirected star for every q, 0
  // and n once and 1 for all the rest.
  std::string star(int n) {
    std::string text;
    for (int u = 1; u < n; ++u) text += fmt::format("0 {}\n", u);
    return write(fmt::format("star{}.txt", n), text);
  }
};

// The eigenvectors are Fourier modes: 2 - 2 cos(2 pi (q + k/n)).
TEST_F(SpectrumTest, FindsTheSpectrumOfACycle) {
  for (const double q : {0.0, 0.1, 0.25}) {
    Numbers expected;
    for (int k = 0; k < 5; ++k) {
      expected.push_back(2 - 2 * std::cos(2 * std::numbers::pi * (q + k / 5.0)));
    }
    std::sort(expected.begin(), expected.end());
    const Words graph = {cycle(5), "--q", fmt::format("{}", q)};
    expect_near(values(graph), expected);
    expect_near(values(graph + Words{"--which", "smallest", "-k", "2"}),
                {expected[0], expected[1]});
    expect_near(values(graph + Words{"--which", "largest", "-k", "2"}), {expected[3], expected[4]});
    expect_near(values(graph + Words{"-k", "1"}), {expected[0], expected[4]});
    for (double& value : expected) value /= 2;
    expect_near(values(graph + Words{"--normalise", "exact"}), expected);
    for (double& value : expected) value *= 2. / 3;
    expect_near(values(graph + Words{"--normalise", "augmented"}), expected);
  }
}

TEST_F(SpectrumTest, TakesTheSheafOptions) {
  const std::string graph = write("two.txt", "0 1\n");
  expect_near(values({graph}), {0, 2});
  expect_near(values({graph, "--sheaf", "magnetic"}), {0, 1});
  expect_near(values({graph, "--sheaf", "sign-magnetic"}), {0, 1});
  expect_near(values({graph, "--low-pass", "--high-pass"}), {0, 0, 0, 2, 2, 2});
  const std::string maps = write_array<double>("maps.npz", "maps", {2, 1}, {1, 3});
  expect_near(values({graph, "--maps", maps}), {0, 10});
}

TEST_F(SpectrumTest, FindsMultipleEigenvaluesOfALargeOperator) {
  const Words graph = {star(600)};
  const Json smallest = json_of(Words{"spectrum", "--which", "smallest", "-k", "4"} + graph);
  EXPECT_EQ(smallest["method"], "lanczos");
  EXPECT_EQ(smallest["size"], 600);
  expect_near(smallest["eigenvalues"].get<Numbers>(), {0, 1, 1, 1});
  expect_near(values(graph + Words{"--which", "largest", "-k", "3"}), {1, 1, 600});
  for (const double residual : smallest["residuals"].get<Numbers>()) EXPECT_LT(residual, 1e-6);
}

TEST_F(SpectrumTest, GivesTheWholeSpectrumOnce) {
  expect_near(values({star(7)}), {0, 1, 1, 1, 1, 1, 7});
  expect_near(values({star(7), "-k", "100"}), {0, 1, 1, 1, 1, 1, 7});
  expect_near(values({star(7), "-k", "100", "--which", "largest"}), {0, 1, 1, 1, 1, 1, 7});
  expect_near(values({star(7), "-k", "3"}), {0, 1, 1, 1, 1, 7});
}

TEST_F(SpectrumTest, RefusesMostOfALargeSpectrum) {
  EXPECT_TRUE(failed_with(run_dsnn({"spectrum", star(2000), "-k", "1500", "--which", "smallest"}),
                          {"1500 requested of an operator of size 2000", "at most 500"}));
}

TEST_F(SpectrumTest, SaysTheSameInTextAndJson) {
  const Words command = {"spectrum", cycle(6), "-k", "2"};
  const Outcome text = run_dsnn(command);
  ASSERT_TRUE(succeeded(text));
  const Json json = json_of(command);
  const Words lines = lines_of(text.out);
  ASSERT_EQ(lines.size(), 6u);
  for (std::size_t i = 0; i < 4; ++i) {
    double value = 0;
    double residual = 0;
    std::istringstream(lines[i + 1]) >> value >> residual;
    EXPECT_NEAR(value, json["eigenvalues"][i].get<double>(), 1e-10);
    EXPECT_NEAR(residual, json["residuals"][i].get<double>(), 0.05 * residual);
  }
  EXPECT_EQ(lines[5], fmt::format("operator of size 6, solved as a dense matrix ({} products)",
                                  json["products"].get<int>()));
  EXPECT_EQ(json["method"], "dense");
}

// At q = 1/4 the Laplacian of 0 -> 1 is [1, -i; i, 1]: x_1 = -i x_0 for 0, x_1 = i x_0 for 2.
TEST_F(SpectrumTest, SavesEigenvectors) {
  const std::string graph = write("two.txt", "0 1\n");
  EXPECT_TRUE(succeeded(run_dsnn({"spectrum", graph, "-o", path("eigen.npz")})));
  const NpzReader file(dir_ / "eigen.npz");
  EXPECT_EQ(file.names(), (Words{"eigenvalues", "eigenvectors", "residuals"}));
  EXPECT_EQ(file.info("eigenvectors").dtype, "<c16");
  expect_near(file.read<double>("eigenvalues").data, {0, 2});
  EXPECT_EQ(file.read<double>("residuals").shape, std::vector<std::int64_t>{2});
  const Array<Complex> vectors = file.read<Complex>("eigenvectors");
  EXPECT_EQ(vectors.shape, (std::vector<std::int64_t>{2, 2, 1}));
  const std::vector<Complex>& x = vectors.data;
  EXPECT_LT(std::abs(x[1] / x[0] - Complex(0, -1)), 1e-12);
  EXPECT_LT(std::abs(x[3] / x[2] - Complex(0, 1)), 1e-12);
  for (const Complex& entry : x) EXPECT_NEAR(std::norm(entry), 0.5, 1e-12);
}

TEST_F(SpectrumTest, SavesTheSameBytesEveryTime) {
  const Words command = {"spectrum", star(500), "-k", "3", "-o"};
  EXPECT_TRUE(succeeded(run_dsnn(command + Words{path("a.npz")})));
  EXPECT_TRUE(succeeded(run_dsnn(command + Words{path("b.npz"), "--json"})));
  EXPECT_EQ(read("a.npz"), read("b.npz"));
}

TEST_F(SpectrumTest, ChecksTheTolerance) {
  for (const char* tolerance : {"0", "-1", "nan"}) {
    EXPECT_TRUE(failed_with(run_dsnn({"spectrum", cycle(5), "--tolerance", tolerance}),
                            {"tolerance is", "expected more than 0"}));
  }
}

}  // namespace
}  // namespace dsnn
