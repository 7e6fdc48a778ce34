#include "cli/cli_test.h"

#include <gtest/gtest.h>

#include <cmath>

// Degenerate graphs: every command works on each of them.

namespace dsnn {
namespace {

using testing::CliTest;
using testing::contains;
using testing::joined;
using testing::Json;
using testing::lines_of;
using testing::run_dsnn;
using testing::succeeded;
using testing::Words;
using testing::operator+;

struct Graph {
  Words arguments;  // the file and its options
  int num_nodes;
  int num_arcs;
  int num_edges;
};

class DegenerateTest : public CliTest {
 protected:
  std::vector<Graph> graphs() {
    const std::vector<std::int64_t> three = {3};
    const std::vector<std::int64_t> labels = {0, 1, 0, -1};
    return {
        {{write("loop.txt", "0 0\n")}, 1, 0, 0},
        {{write("none.txt", "# no arcs\n"), "--num-nodes", "1"}, 1, 0, 0},
        {{write("apart.txt", "1 3\n"), "--num-nodes", "6"}, 6, 1, 1},
        {{write("gap.txt", "0 9\n")}, 10, 1, 1},
        {{write_graph("number.npz", {},
                      [&](NpzWriter& w) { w.add<std::int64_t>("num_nodes", {}, three); })},
         3,
         0,
         0},
        {{write_graph("labels.npz", {},
                      [&](NpzWriter& w) { w.add<std::int64_t>("node_labels", {4}, labels); })},
         4,
         0,
         0},
        {{write_graph("asked.npz", {}), "--num-nodes", "2"}, 2, 0, 0},
        {{write("reciprocal.txt", "0 1\n1 0\n1 2\n2 1\n")}, 3, 4, 2},
        {{write("twice.txt", "0 1\n0 1\n1 1\n")}, 2, 1, 1},
        {{write("weights.txt", "0 1 0.5\n1 0 2\n1 2 3\n")}, 3, 3, 2},
        {{write("negative.txt", "0 1 -1\n1 2 -2\n2 1 -0.5\n")}, 3, 3, 2},
        {{write("cancel.txt", "0 1 1\n1 0 -1\n1 2 1\n")}, 3, 3, 2},
        {{write("zero.txt", "0 1 0\n1 2 1\n")}, 3, 1, 1},
    };
  }
};

TEST_F(DegenerateTest, InfoWorks) {
  for (const Graph& graph : graphs()) {
    SCOPED_TRACE(joined(graph.arguments));
    const Json info = json_of(Words{"info"} + graph.arguments);
    EXPECT_EQ(info["nodes"], graph.num_nodes);
    EXPECT_EQ(info["arcs"], graph.num_arcs);
    EXPECT_EQ(info["edges"], graph.num_edges);
    EXPECT_EQ(info["reciprocity"].is_null(), graph.num_arcs == 0);
    EXPECT_TRUE(succeeded(run_dsnn(Words{"info"} + graph.arguments)));
  }
}

TEST_F(DegenerateTest, VerifyPasses) {
  for (const Graph& graph : graphs()) {
    const Words arguments = Words{"verify"} + graph.arguments;
    EXPECT_TRUE(succeeded(run_dsnn(arguments))) << joined(arguments);
    EXPECT_EQ(json_of(arguments)["passed"], true);
  }
}

const std::vector<Words> kSheaves = {{},
                                     {"--q", "0.1", "--low-pass", "--high-pass"},
                                     {"--sheaf", "magnetic"},
                                     {"--sheaf", "sign-magnetic", "--high-pass"}};
const std::vector<Words> kNormalisations = {
    {}, {"--normalise", "exact"}, {"--normalise", "augmented"}};

TEST_F(DegenerateTest, LaplacianWorks) {
  for (const Graph& graph : graphs()) {
    for (const Words& sheaf : kSheaves) {
      for (const Words& normalisation : kNormalisations) {
        const Words arguments = Words{"laplacian"} + graph.arguments + sheaf + normalisation;
        const Json result = json_of(arguments + Words{"-o", path("L.mtx")});
        EXPECT_EQ(result["rows"], graph.num_nodes * result["stalk_dim"].get<int>());
        const Words lines = lines_of(read("L.mtx"));
        ASSERT_GE(lines.size(), 3u);
        const std::string size = result["rows"].dump();
        EXPECT_TRUE(lines[2].starts_with(size + " " + size + " ")) << lines[2];
        EXPECT_EQ(lines[2].ends_with(" 0"), graph.num_edges == 0) << lines[2];
      }
    }
  }
}

TEST_F(DegenerateTest, SpectrumWorks) {
  for (const Graph& graph : graphs()) {
    for (const Words& sheaf : kSheaves) {
      for (const Words& normalisation : kNormalisations) {
        const Words arguments = Words{"spectrum"} + graph.arguments + sheaf + normalisation;
        SCOPED_TRACE(joined(arguments));
        const Json result = json_of(arguments + Words{"-k", "40", "-o", path("eigen.npz")});
        const auto values = result["eigenvalues"].get<std::vector<double>>();
        EXPECT_EQ(static_cast<std::int64_t>(values.size()), result["size"].get<std::int64_t>());
        EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
        for (const double value : values) {
          EXPECT_GE(value, -1e-12);
          EXPECT_LE(value, normalisation.empty() ? 100 : 2 + 1e-12);
        }
        if (graph.num_edges == 0) {
          EXPECT_EQ(values, std::vector<double>(values.size(), 0));
        }
        EXPECT_EQ(NpzReader(dir_ / "eigen.npz").read<double>("eigenvalues").data, values);
      }
    }
    for (const char* which : {"smallest", "largest", "both"}) {
      EXPECT_TRUE(
          succeeded(run_dsnn(Words{"spectrum", "--which", which, "-k", "1"} + graph.arguments)));
    }
  }
}

// Maps for no half-edges: the stalk dimension is still used.
TEST_F(DegenerateTest, MapsOfNoEdgesWork) {
  const std::string graph = write("loop.txt", "0 0\n");
  const std::string maps = write_array<double>("maps.npz", "maps", {0, 2, 2}, {});
  EXPECT_EQ(json_of({"laplacian", graph, "--maps", maps, "-o", path("L.mtx")})["rows"], 2);
  EXPECT_EQ(json_of({"spectrum", graph, "--maps", maps})["size"], 2);
}

// No nodes is not a graph that a file can hold by accident.
TEST_F(DegenerateTest, NoNodesWork) {
  const std::vector<std::int64_t> zero = {0};
  const std::string graph = write_graph(
      "empty.npz", {}, [&](NpzWriter& w) { w.add<std::int64_t>("num_nodes", {}, zero); });
  EXPECT_EQ(json_of({"info", graph})["nodes"], 0);
  EXPECT_EQ(json_of({"verify", graph})["passed"], true);
  EXPECT_EQ(json_of({"laplacian", graph, "-o", path("L.mtx")})["rows"], 0);
  EXPECT_EQ(json_of({"spectrum", graph, "-o", path("e.npz")})["eigenvalues"], Json::array());
}

}  // namespace
}  // namespace dsnn
