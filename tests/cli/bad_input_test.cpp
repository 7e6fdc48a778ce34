#include "cli/cli_test.h"
#include "data/npy_bytes.h"

#include <gtest/gtest.h>

#include <limits>

// Every bad input against every command that reads it: a non-zero exit code, nothing on stdout, one
// sentence that names the position and what was expected, and no new files.

namespace dsnn {
namespace {

using testing::CliTest;
using testing::failed_with;
using testing::joined;
using testing::npy_bytes;
using testing::npy_dictionary;
using testing::Outcome;
using testing::raw_bytes;
using testing::run_dsnn;
using testing::Words;
using testing::write_zip;
using testing::operator+;
using Integers = std::vector<std::int64_t>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class BadInputTest : public CliTest {
 protected:
  std::vector<Words> commands_with_sheaf(const std::string& graph) {
    return {{"laplacian", graph, "-o", path("out.mtx")},
            {"spectrum", graph, "-o", path("out.npz")}};
  }
  std::vector<Words> commands(const std::string& graph) {
    std::vector<Words> all = commands_with_sheaf(graph);
    all.insert(all.end(), {{"info", graph}, {"info", graph, "--json"}, {"verify", graph}});
    return all;
  }

  void expect_refusal(const std::vector<Words>& all, const Words& expected) {
    const Words before = dir_.list();
    for (const Words& arguments : all) {
      const Outcome outcome = run_dsnn(arguments, {.obeys_permissions = true});
      EXPECT_TRUE(failed_with(outcome, expected)) << joined(arguments);
      EXPECT_EQ(dir_.list(), before) << joined(arguments);
    }
  }
  void expect_bad_graph(const std::string& graph, const Words& expected) {
    expect_refusal(commands(graph), expected);
  }
  void expect_bad_text(const std::string& text, const Words& expected) {
    expect_bad_graph(write("bad.txt", text), expected);
  }
  void expect_bad_maps(const std::string& maps, const Words& expected) {
    std::vector<Words> all = commands_with_sheaf(mixed());
    for (Words& arguments : all) arguments = arguments + Words{"--maps", maps};
    expect_refusal(all, expected);
  }

  std::string mixed() { return write("mixed.txt", "0 1\n1 2\n2 1\n"); }  // four half-edges

  // The bytes of a valid archive.
  std::string archive() {
    const std::string bytes = testing::read_text(write_graph("sound.npz", {0, 1, 1, 2, 2, 1}));
    std::filesystem::remove(dir_ / "sound.npz");
    return bytes;
  }
  template <class T>
  std::string graph_with(const std::string& array, const Integers& shape,
                         const std::vector<T>& data) {
    return write_graph("bad.npz", {0, 1, 1, 2, 2, 1},
                       [&](NpzWriter& writer) { writer.add<T>(array, shape, data); });
  }
};

TEST_F(BadInputTest, MissingFile) {
  expect_bad_graph(path("missing.txt"), {"missing.txt: no such file or dataset"});
  expect_bad_graph(path("missing.npz"), {"missing.npz: no such file or dataset"});
  expect_bad_graph(path("no/such/folder.txt"), {"folder.txt: no such file or dataset"});
  expect_bad_graph("no-such-dataset", {"no-such-dataset: no such file or dataset (looked for "});
  expect_bad_graph(dir_.path().string(), {"is a directory that contains neither"});
}

TEST_F(BadInputTest, UnreadableFile) {
  const std::string graph = mixed();
  std::filesystem::permissions(graph, std::filesystem::perms::none);
  expect_bad_graph(graph, {"mixed.txt: cannot open: Permission denied"});
}

TEST_F(BadInputTest, EmptyFile) {
  expect_bad_graph(write("empty.txt", ""), {"empty.txt: contains no arcs", "--num-nodes"});
  expect_bad_graph(write("comment.txt", "# nothing\n\n"), {"comment.txt: contains no arcs"});
  expect_bad_graph(write("empty.npz", ""), {"empty.npz: is empty, expected an .npz archive"});
  expect_bad_graph("/dev/null", {"/dev/null: contains no arcs"});
}

TEST_F(BadInputTest, BinaryGarbage) {
  std::string garbage;
  for (int i = 0; i < 3000; ++i) garbage.push_back(static_cast<char>(i * i * 31 % 251));
  expect_bad_graph(write("garbage.bin", garbage), {"garbage.bin: binary data", "'source target"});
  expect_bad_graph(write("garbage.npz", garbage), {"garbage.npz: not an .npz archive"});
  expect_bad_graph(write("garbage.npz", "PK\x03\x04" + garbage), {"garbage.npz: not an .npz"});
  expect_bad_text("\x81\x92\xfe\xff", {"bad.txt:1: expected 'source target [weight]'"});
  expect_bad_text("\x81 \x92", {"bad.txt:1: '?' is not a node id", "integer from 0"});
}

TEST_F(BadInputTest, TextThatIsNoArchive) {
  expect_bad_graph(write("text.npz", "0 1\n"), {"text.npz: not an .npz archive"});
}

TEST_F(BadInputTest, DamagedArchive) {
  const std::string bytes = archive();
  for (const std::size_t length : {std::size_t{3}, bytes.size() / 2, bytes.size() - 1}) {
    expect_bad_graph(write("cut.npz", bytes.substr(0, length)), {"cut.npz: not an .npz archive"});
  }
  std::string changed = bytes;
  const std::size_t numbers = bytes.find(raw_bytes<std::int64_t>({0, 1, 1, 2, 2, 1}));
  ASSERT_NE(numbers, std::string::npos);
  changed[numbers] = '\x02';
  expect_bad_graph(write("bits.npz", changed), {"bits.npz: array 'edges' cannot be read: CRC"});
}

TEST_F(BadInputTest, WrongColumns) {
  expect_bad_text("0 1\n2\n", {"bad.txt:2: expected 'source target [weight]', found 1 field"});
  expect_bad_text("0 1 1 1\n", {"bad.txt:1: expected 'source target [weight]', found 4 fields"});
  expect_bad_text("# one\n0 1\n\n1 2 0.5\n", {"bad.txt:4: found 3 fields", "(line 2) has 2"});
  expect_bad_text("0,,1\n", {"bad.txt:1: "});
}

TEST_F(BadInputTest, WrongNodes) {
  expect_bad_text("0 1\n-1 2\n", {"bad.txt:2: node id -1 is negative, expected 0 to 2147483646"});
  for (const char* node : {"2147483647", "2147483648", "4294967296", "99999999999999999999"}) {
    expect_bad_text(std::string("0 ") + node,
                    {"bad.txt:1: node id ", node, "is too large", "expected 0 to 2147483646"});
  }
  expect_bad_text("0 2147483646\n", {"bad.txt: has node 2147483646", "--num-nodes"});
  expect_bad_text("0 x1\n", {"bad.txt:1: 'x1' is not a node id, expected an integer"});
  expect_bad_text("0 1.5\n", {"bad.txt:1: '1.5' is not a node id"});
}

TEST_F(BadInputTest, WrongWeights) {
  expect_bad_text("0 1 1\n1 2 nan\n", {"bad.txt:2: weight nan", "expected a finite number"});
  expect_bad_text("0 1 inf\n", {"bad.txt:1: weight inf", "expected a finite number"});
  expect_bad_text("0 1 -1e999\n", {"bad.txt:1: weight -1e999", "expected a finite number"});
  expect_bad_text("0 1 heavy\n", {"bad.txt:1: 'heavy' is not a weight, expected a number"});
}

TEST_F(BadInputTest, TooFewNodes) {
  std::vector<Words> all = commands(mixed());
  for (Words& arguments : all) arguments = arguments + Words{"--num-nodes", "2"};
  expect_refusal(all, {"mixed.txt: has node 2, but 2 nodes were requested"});
}

TEST_F(BadInputTest, WrongEdges) {
  const std::string edges = "bad.npz: array 'edges' ";
  expect_bad_graph(write_array<double>("bad.npz", "edges", {1, 2}, {0, 1}),
                   {edges + "has dtype <f8, expected integers"});
  expect_bad_graph(write_array<std::int64_t>("bad.npz", "edges", {2, 3}, Integers(6)),
                   {edges + "has shape [2, 3], expected [arcs, 2]"});
  expect_bad_graph(write_array<std::int64_t>("bad.npz", "edges", {4}, Integers(4)),
                   {edges + "has shape [4], expected [arcs, 2]"});
  expect_bad_graph(write_array<std::int64_t>("bad.npz", "arcs", {1, 2}, {0, 1}),
                   {"bad.npz: no array named 'edges' (has: arcs)"});
  expect_bad_graph(write_array<std::int64_t>("bad.npz", "edges", {2, 2}, {0, 1, -1, 1}),
                   {edges + "row 1 has node -1, expected 0 to 2147483646"});
  expect_bad_graph(write_array<std::int64_t>("bad.npz", "edges", {1, 2}, {0, 2147483647}),
                   {edges + "row 0 has node 2147483647, expected 0 to 2147483646"});
  expect_bad_graph(write_array<std::int64_t>("bad.npz", "edges", {0, 2}, {}),
                   {"bad.npz: contains no arcs", "--num-nodes"});
}

TEST_F(BadInputTest, ArraysThatDoNotFitTheEdges) {
  expect_bad_graph(graph_with<double>("edge_weights", {3}, {1, kNan, 1}),
                   {"bad.npz: array 'edge_weights' row 1 is nan, expected a finite number"});
  expect_bad_graph(graph_with<double>("edge_weights", {2}, {1, 1}),
                   {"bad.npz: array 'edge_weights' has shape [2], expected [3]"});
  expect_bad_graph(graph_with<std::int64_t>("node_labels", {2}, {0, 1}),
                   {"bad.npz: array 'edges' row 1 has node 2, but the graph has 2 nodes"});
  expect_bad_graph(graph_with<double>("node_labels", {3}, {0, 1, 1}),
                   {"bad.npz: array 'node_labels' has dtype <f8, expected integers"});
  expect_bad_graph(graph_with<float>("node_features", {3}, {0, 1, 1}),
                   {"array 'node_features' has shape [3], expected [nodes, features]"});
  expect_bad_graph(
      graph_with<std::uint8_t>("train_masks", {1, 3}, {0, 1, 1}),
      {"array 'val_masks' is missing, expected train_masks, val_masks and test_masks"});
  expect_bad_graph(graph_with<std::int64_t>("num_nodes", {2}, {3, 3}),
                   {"array 'num_nodes' has shape [2], expected a single value"});
}

TEST_F(BadInputTest, ArraysOfStrings) {
  const std::string strings = npy_bytes(npy_dictionary("<U1", "(1, 2)"), std::string(8, 'a'));
  const std::string objects = npy_bytes(npy_dictionary("|O", "(1, 2)"), "pickle");
  expect_bad_graph(write_zip(dir_ / "bad.npz", {{"edges.npy", strings}}),
                   {"bad.npz: array 'edges' has dtype <U1, which is not supported"});
  expect_bad_graph(write_zip(dir_ / "bad.npz", {{"edges.npy", objects}}),
                   {"bad.npz: array 'edges' contains pickled Python objects"});
  expect_bad_graph(write_zip(dir_ / "bad.npz", {{"edges.npy", "no array"}}),
                   {"bad.npz: array 'edges' is not a NumPy array"});
}

TEST_F(BadInputTest, WrongMapsFile) {
  mixed();
  expect_bad_maps(path("missing.npz"), {"missing.npz: cannot open: No such file or directory"});
  expect_bad_maps(dir_.path().string(), {"is a directory, expected a file"});
  expect_bad_maps(write("empty.npz", ""), {"empty.npz: is empty, expected an .npz archive"});
  expect_bad_maps(write("text.npz", "1 2 3\n"), {"text.npz: not an .npz archive"});
  expect_bad_maps(write("cut.npz", archive().substr(0, 99)), {"cut.npz: not an .npz archive"});
  expect_bad_maps(write_array<double>("m.npz", "map", {4, 1}, {1, 1, 1, 1}),
                  {"m.npz: no array named 'maps' (has: map)"});
}

TEST_F(BadInputTest, WrongMaps) {
  mixed();
  const std::string expected = ", expected [4, d] or [4, d, d]: one map for each of the graph's 4";
  for (const Integers& shape : {Integers{3, 2}, {5, 1}, {4}, {4, 2, 3}, {4, 2, 2, 1}, {}}) {
    std::int64_t size = 1;
    for (const std::int64_t extent : shape) size *= extent;
    const std::vector<double> ones(static_cast<std::size_t>(size), 1.0);
    expect_bad_maps(write_array<double>("m.npz", "maps", shape, ones),
                    {"m.npz: array 'maps' has shape [", expected});
  }
  expect_bad_maps(write_array<double>("m.npz", "maps", {4, 0}, {}),
                  {"m.npz: array 'maps' has shape [4, 0], expected a stalk dimension d from 1"});
  expect_bad_maps(write_array<double>("m.npz", "maps", {4, 1}, {1, 1, kNan, 1}),
                  {"m.npz: array 'maps' has a value that is not finite", "half-edge 2"});
  const std::string strings = npy_bytes(npy_dictionary("<U1", "(4, 1)"), std::string(16, 'a'));
  expect_bad_maps(write_zip(dir_ / "m.npz", {{"maps.npy", strings}}),
                  {"m.npz: array 'maps' has dtype <U1, which is not supported"});
}

// Each value is finite, but not their sum on the diagonal.
TEST_F(BadInputTest, TooLargeWeights) {
  const std::vector<Words> all = commands_with_sheaf(write("bad.txt", "0 1 1e308\n0 2 1e308\n"));
  expect_refusal({all[0]}, {"out.mtx: cannot write: entry (0, 0) of the matrix is not finite"});
  expect_refusal({all[1]}, {"entries are too large"});
  expect_bad_text("0 1 1e308\n0 1 1e308\n", {"weights of duplicate arcs"});
}

TEST_F(BadInputTest, WrongCharge) {
  for (const char* q : {"nan", "inf", "-inf", "1e999"}) {
    std::vector<Words> all = commands_with_sheaf(mixed());
    for (Words& arguments : all) arguments = arguments + Words{"--q", q};
    expect_refusal(all, {"--q is ", "expected a finite number"});
  }
  std::vector<Words> all = commands_with_sheaf(mixed());
  for (Words& arguments : all) arguments = arguments + Words{"--q", "quarter"};
  expect_refusal(all, {"--q", "quarter"});
}

}  // namespace
}  // namespace dsnn
