#include "dsnn/data/edge_list.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "support/test_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

namespace dsnn {
namespace {

using testing::contains;
using testing::ends_with;
using testing::message_of;
using testing::TempDir;
using testing::write_text;
using Pairs = std::vector<std::pair<NodeId, NodeId>>;

Pairs pairs_of(const ArcList& list) {
  Pairs pairs;
  for (const Arc& arc : list.arcs) pairs.emplace_back(arc.source, arc.target);
  return pairs;
}

class EdgeListTest : public ::testing::Test {
 protected:
  ArcList parse(std::string_view text) {
    return read_edge_list(write_text(dir_ / "graph.txt", text));
  }
  std::string error_of(std::string_view text) {
    return message_of<Error>([&] { parse(text); });
  }

  TempDir dir_;
};

TEST_F(EdgeListTest, ReadsArcsInTheOrderOfTheFile) {
  const ArcList list = parse("0 1\n5 2\n0 1\n3 3\n");
  EXPECT_EQ(pairs_of(list), (Pairs{{0, 1}, {5, 2}, {0, 1}, {3, 3}}));
  EXPECT_TRUE(list.weights.empty());
  EXPECT_EQ(list.num_nodes, 6);
}

TEST_F(EdgeListTest, ReadsWeights) {
  const ArcList list = parse("0 1 0.1\n1 2 -3\n2 0 1e-3\n0 2 5e-324\n");
  EXPECT_EQ(list.arcs.size(), 4u);
  EXPECT_EQ(list.weights, (std::vector<double>{0.1, -3, 1e-3, 5e-324}));
}

TEST_F(EdgeListTest, AcceptsAllSeparatorsAndLineEnds) {
  const Pairs expected = {{0, 1}, {2, 3}};
  for (const std::string text : {"0\t1\n2\t3\n", "0,1\n2,3\n", "  0  1  \n\t2 \t 3\t\n",
                                 "0 , 1\n2 ,\t3\n", "0 1\r\n2 3\r\n", "0 1\n2 3", "0 1\n2 3\r",
                                 "\xef\xbb\xbf"
                                 "0 1\n2 3\n",
                                 "\n\n0 1\n \n2 3\n\n"}) {
    EXPECT_EQ(pairs_of(parse(text)), expected) << text;
  }
}

TEST_F(EdgeListTest, SkipsComments) {
  const Pairs expected = {{0, 1}, {2, 3}};
  EXPECT_EQ(pairs_of(parse("# head\n0 1 # first\n  # between\n2 3# no blank\n#")), expected);
  EXPECT_EQ(pairs_of(parse("#" + std::string(100000, 'x') + "\n0 1\n2 3\n")), expected);
}

TEST_F(EdgeListTest, ReturnsNothingForAFileWithoutArcs) {
  for (const std::string text : {"", "\n\n", "# nothing\n", " \t\r\n", "\xef\xbb\xbf"}) {
    const ArcList list = parse(text);
    EXPECT_TRUE(list.arcs.empty()) << text;
    EXPECT_EQ(list.num_nodes, 0) << text;
  }
}

TEST_F(EdgeListTest, ChecksTheRangeOfNodes) {
  EXPECT_EQ(parse("0 2147483646\n").num_nodes, 2147483647);
  EXPECT_TRUE(ends_with(error_of("0 1\n0 2147483647\n"),
                        "graph.txt:2: node id 2147483647 is too large, expected 0 to 2147483646"));
  EXPECT_TRUE(ends_with(error_of("# one\n\n0 -3\n"),
                        "graph.txt:3: node id -3 is negative, expected 0 to 2147483646"));
  EXPECT_TRUE(contains(error_of("4294967296 1\n"), "node id 4294967296 is too large"));
  EXPECT_TRUE(contains(error_of("99999999999999999999 1\n"),
                       ":1: node id 99999999999999999999 is too large"));
  EXPECT_TRUE(contains(error_of("-99999999999999999999 1\n"), "is negative"));
}

TEST_F(EdgeListTest, RefusesWhatIsNoNode) {
  EXPECT_TRUE(ends_with(error_of("0 1\nsource target\n"),
                        "graph.txt:2: 'source' is not a node id, expected an integer from 0 to "
                        "2147483646"));
  EXPECT_TRUE(contains(error_of("0 1.0\n"), ":1: '1.0' is not a node id"));
  EXPECT_TRUE(contains(error_of("0 1e3\n"), "'1e3' is not a node id"));
  EXPECT_TRUE(contains(error_of("0 0x1\n"), "'0x1' is not a node id"));
  EXPECT_TRUE(contains(error_of("0 +1\n"), "'+1' is not a node id"));
  EXPECT_TRUE(contains(error_of("0;1 2\n"), "'0;1' is not a node id"));
  EXPECT_TRUE(contains(error_of("0 1\r2 3\n"), "'1?2' is not a node id"));
  EXPECT_TRUE(contains(error_of("n\xc3\xa9\x1b[m 1\n"), "'n\xc3\xa9?[m' is not a node id"));
  EXPECT_TRUE(contains(error_of(std::string(50, 'a') + " 1\n"),
                       ":1: '" + std::string(30, 'a') + "...' is not a node id"));
}

TEST_F(EdgeListTest, RefusesEmptyFieldsBetweenCommas) {
  EXPECT_TRUE(contains(error_of("1,,2\n"), "'' is not a node id"));
  EXPECT_TRUE(contains(error_of(",1\n"), "'' is not a node id"));
  EXPECT_TRUE(contains(error_of("1,2,\n"), "'' is not a weight"));
  EXPECT_TRUE(contains(error_of("1, # two\n"), "'' is not a node id"));
}

TEST_F(EdgeListTest, ChecksTheNumberOfFields) {
  EXPECT_TRUE(ends_with(error_of("0 1\n1 2\n7\n"),
                        "graph.txt:3: expected 'source target [weight]', found 1 field"));
  EXPECT_TRUE(
      ends_with(error_of("0 1 2 3\n"), ":1: expected 'source target [weight]', found 4 fields"));
  EXPECT_TRUE(ends_with(error_of("\n0 1\n1 2 0.5\n"),
                        "graph.txt:3: found 3 fields, but the first arc (line 2) has 2"));
  EXPECT_TRUE(ends_with(error_of("0 1 0.5\n1 2\n"),
                        ":2: found 2 fields, but the first arc (line 1) has 3"));
}

TEST_F(EdgeListTest, RefusesWeightsThatAreNotFiniteNumbers) {
  for (const std::string weight : {"nan", "inf", "-inf", "1e999"}) {
    EXPECT_TRUE(ends_with(error_of("0 1 1\n0 1 " + weight + "\n"),
                          ":2: weight " + weight + " is out of range, expected a finite number"));
  }
  EXPECT_TRUE(ends_with(error_of("0 1 heavy\n"), ":1: 'heavy' is not a weight, expected a number"));
  EXPECT_TRUE(contains(error_of("0 1 1.5x\n"), "'1.5x' is not a weight"));
}

TEST_F(EdgeListTest, RefusesBinaryFiles) {
  const std::string expected = "graph.txt: binary data, expected an edge-list text file";
  EXPECT_TRUE(contains(error_of(std::string_view("0 1\n\0 2\n", 8)), expected));
  EXPECT_TRUE(contains(error_of(std::string_view("\xff\xfe"
                                                 "0\0 \0",
                                                 6)),
                       expected));
}

TEST_F(EdgeListTest, SaysWhyAFileCannotBeOpened) {
  const auto open_error = [](const std::filesystem::path& path) {
    return message_of<Error>([&] { read_edge_list(path); });
  };
  EXPECT_TRUE(
      ends_with(open_error(dir_ / "none.txt"), "none.txt: cannot open: No such file or directory"));
  EXPECT_TRUE(ends_with(open_error(dir_.path()), ": is a directory, expected a file"));
}

// Several chunks of reading, with lines across their borders.
TEST_F(EdgeListTest, ReadsLargeFiles) {
  constexpr NodeId kArcs = 1'000'000;
  std::string text;
  for (NodeId i = 0; i < kArcs; ++i) {
    text += std::to_string(i) + " " + std::to_string(i % 1013) + "\n";
  }
  ASSERT_GT(text.size(), std::size_t{10} << 20);
  std::int64_t done = 0, num_reports = 0;
  set_progress_observer([&](const ProgressUpdate& update) {
    EXPECT_STREQ(update.stage, "reading");
    EXPECT_GT(update.done, done);
    EXPECT_EQ(update.total, static_cast<std::int64_t>(text.size()));
    done = update.done;
    ++num_reports;
  });
  const ArcList list = parse(text);
  set_progress_observer({});
  EXPECT_EQ(done, static_cast<std::int64_t>(text.size()));
  EXPECT_GE(num_reports, 3);
  ASSERT_EQ(list.arcs.size(), static_cast<std::size_t>(kArcs));
  for (NodeId i = 0; i < kArcs; ++i) {
    const Arc arc = list.arcs[static_cast<std::size_t>(i)];
    ASSERT_EQ(arc.source, i);
    ASSERT_EQ(arc.target, i % 1013);
  }
  EXPECT_TRUE(contains(error_of(text + "x 1\n"), "graph.txt:1000001: 'x' is not a node id"));
}

TEST_F(EdgeListTest, RefusesEndlessLines) {
  EXPECT_TRUE(ends_with(error_of("0 1\n" + std::string(std::size_t{65} << 20, '7')),
                        "graph.txt:2: longer than 67108864 bytes"));
}

TEST_F(EdgeListTest, ReadsFromAPipe) {
  const std::filesystem::path pipe = dir_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { write_text(pipe, "0 1\n1 2\n"); });
  const ArcList list = read_edge_list(pipe);
  writer.join();
  EXPECT_EQ(pairs_of(list), (Pairs{{0, 1}, {1, 2}}));
}

}  // namespace
}  // namespace dsnn
