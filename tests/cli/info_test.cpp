#include "cli/cli_test.h"

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>

namespace dsnn {
namespace {

using testing::CliTest;
using testing::contains;
using testing::failed_with;
using testing::Json;
using testing::Outcome;
using testing::Process;
using testing::run_dsnn;
using testing::succeeded;
using testing::Words;

class InfoTest : public CliTest {
 protected:
  // 0 <-> 1 -> 2, node 3 alone; a loop and an arc given twice.
  std::string dataset() {
    const std::vector<std::int64_t> labels = {0, 0, 1, -1};
    const std::vector<float> features = {1, 0, 0, 2, 0, 0, 3, 0};
    const std::vector<std::uint8_t> train = {1, 0, 0, 0, 1, 1, 0, 0};
    const std::vector<std::uint8_t> others = {0, 1, 0, 0, 0, 0, 1, 0};
    return write_graph("tiny.npz", {0, 1, 1, 0, 1, 2, 2, 2, 0, 1}, [&](NpzWriter& writer) {
      writer.add<std::int64_t>("node_labels", {4}, labels);
      writer.add<float>("node_features", {4, 2}, features);
      writer.add<std::uint8_t>("train_masks", {2, 4}, train);
      writer.add<std::uint8_t>("val_masks", {2, 4}, others);
      writer.add<std::uint8_t>("test_masks", {2, 4}, others);
    });
  }
};

TEST_F(InfoTest, CountsWhatIsThere) {
  const Json info = json_of({"info", dataset()});
  EXPECT_EQ(info["name"], "tiny");
  EXPECT_EQ(info["nodes"], 4);
  EXPECT_EQ(info["arcs"], 3);
  EXPECT_EQ(info["edges"], 2);
  EXPECT_EQ(info["two_way_edges"], 1);
  EXPECT_DOUBLE_EQ(info["reciprocity"].get<double>(), 2. / 3);
  EXPECT_EQ(info["weighted"], false);
  EXPECT_EQ(info["self_loops_dropped"], 1);
  EXPECT_EQ(info["duplicate_arcs_merged"], 1);
  EXPECT_EQ(info["degree"], (Json{{"min", 0}, {"mean", 1.0}, {"max", 2}}));
  EXPECT_EQ(info["out_degree"], (Json{{"min", 0}, {"mean", 0.75}, {"max", 2}}));
  EXPECT_EQ(info["in_degree"], (Json{{"min", 0}, {"mean", 0.75}, {"max", 1}}));
  EXPECT_EQ(info["isolated_nodes"], 1);
  EXPECT_EQ(info["weak_components"], (Json{{"count", 2}, {"largest", 3}}));
  EXPECT_EQ(info["strong_components"], (Json{{"count", 3}, {"largest", 2}}));
  EXPECT_EQ(info["labels"]["classes"], 2);
  EXPECT_EQ(info["labels"]["class_sizes"], (Json{2, 1}));
  EXPECT_EQ(info["labels"]["unlabelled_nodes"], 1);
  EXPECT_EQ(info["labels"]["homophily"]["edge"], 0.5);
  EXPECT_EQ(info["labels"]["homophily"]["node"], 0.5);  // mean of 1, 1/2 and 0
  EXPECT_EQ(info["features"],
            (Json{{"count", 2},
                  {"density", 0.375},
                  {"sparse", false},
                  {"prepared",
                   "2 columns standardised; out-degree and in-degree added (logarithm, "
                   "standardised)"}}));
  EXPECT_EQ(info["splits"],
            (Json{{"count", 2}, {"train", {1, 2}}, {"validation", {1, 1}}, {"test", {1, 1}}}));
}

TEST_F(InfoTest, SaysTheSameInText) {
  const Outcome outcome = run_dsnn({"info", dataset()});
  EXPECT_TRUE(succeeded(outcome));
  for (const char* line : {
           "graph              tiny\n",
           "nodes              4 (1 isolated)\n",
           "arcs               3\n",
           "edges              2 (1 two-way)\n",
           "reciprocity        0.6667 of the arcs\n",
           "self-loops         1 dropped\n",
           "duplicates         1 merged\n",
           "degree             0 to 2, mean 1\n",
           "out-degree         0 to 2, mean 0.75\n",
           "in-degree          0 to 1, mean 0.75\n",
           "weak components    2, the largest with 3 nodes\n",
           "strong components  3, the largest with 2 nodes\n",
           "classes            2 of sizes [2,1], 1 unlabelled\n",
           "homophily          edge 0.5, node 0.5, ",
           "features           2, 37.5 % non-zero\n",
           "splits             2: train 1-2, validation 1, test 1\n",
       }) {
    EXPECT_TRUE(contains(outcome.out, line));
  }
}

// A terminal would execute them: ESC [ and its short form, U+009B.
TEST_F(InfoTest, ShowsNamesWithoutControlCharacters) {
  const std::vector<std::int64_t> labels = {0, 1};
  const Words classes = {"\x1b[2Jcat", "d\xc2\x9bKog"}, ids = {"a\rb", "\xce\xb1"};
  const std::string graph = write_graph("g.npz", {0, 1}, [&](NpzWriter& writer) {
    writer.add<std::int64_t>("node_labels", {2}, labels);
    writer.add_strings("label_names", classes);
    writer.add_strings("node_ids", ids);
  });
  const Outcome outcome = run_dsnn({"info", graph});
  EXPECT_TRUE(contains(outcome.out, "2 of sizes ?[2Jcat 1, d?Kog 1\n"));
  EXPECT_TRUE(contains(outcome.out, "node ids           a?b, \xce\xb1, ...\n"));
  EXPECT_EQ(json_of({"info", graph})["labels"]["class_names"], Json(classes));
}

TEST_F(InfoTest, LeavesOutWhatIsNotThere) {
  const std::string graph = write("g.txt", "0 1\n");
  const Json info = json_of({"info", graph});
  for (const char* key : {"labels", "features", "splits"}) EXPECT_FALSE(info.contains(key));
  const std::string text = run_dsnn({"info", graph}).out;
  for (const char* word : {"classes", "features", "splits", "self-loops", "duplicates"}) {
    EXPECT_EQ(text.find(word), std::string::npos);
  }
}

TEST_F(InfoTest, ReadsAnyLayoutOfText) {
  const std::string graph = write("g.txt",
                                  "\xef\xbb\xbf# source target weight\r\n"
                                  "0,1,2.5\r\n"
                                  "\n"
                                  "  1\t2 , -1e-3   # a comment\n"
                                  "2 0 5");
  const Json info = json_of({"info", graph});
  EXPECT_EQ(info["nodes"], 3);
  EXPECT_EQ(info["arcs"], 3);
  EXPECT_EQ(info["weighted"], true);
  EXPECT_TRUE(contains(run_dsnn({"info", graph}).out, "3, weighted\n"));
}

TEST_F(InfoTest, TakesTheNumberOfNodes) {
  const std::string graph = write("g.txt", "0 1\n");
  EXPECT_EQ(json_of({"info", graph, "--num-nodes", "5"})["isolated_nodes"], 3);
  EXPECT_TRUE(failed_with(run_dsnn({"info", graph, "--num-nodes", "1"}),
                          {"g.txt", "has node 1", "1 nodes"}));
}

TEST_F(InfoTest, FindsDatasetsByName) {
  std::filesystem::create_directories(dir_ / "data");
  std::filesystem::create_directories(dir_ / "cache/dsnn");
  dataset();
  std::filesystem::copy(dir_ / "tiny.npz", dir_ / "data/here.npz");
  std::filesystem::copy(dir_ / "tiny.npz", dir_ / "cache/dsnn/cached.npz");
  const testing::ProcessOptions around = {
      .environment = {{"DSNN_DATA", path("data")}, {"XDG_CACHE_HOME", path("cache")}}};
  EXPECT_TRUE(succeeded(run_dsnn({"info", "here", "--data-dir", path("data")})));
  EXPECT_TRUE(succeeded(run_dsnn({"info", "here"}, around)));
  EXPECT_TRUE(succeeded(run_dsnn({"info", "cached"}, around)));
  EXPECT_TRUE(contains(run_dsnn({"info", "here", "--data-dir", path("x")}, around).err,
                       "--data-dir: '" + path("x") + "', expected a folder"));
  std::filesystem::create_directories(dir_ / "x");
  EXPECT_TRUE(failed_with(run_dsnn({"info", "nowhere", "--data-dir", path("x")}, around),
                          {"nowhere: no such file or dataset", path("x/nowhere.npz"),
                           path("data/nowhere.npz"), path("cache/dsnn/nowhere.npz")}));
}

// A pipe must be opened only once: its data are lost when the last reader closes it, and the next
// reader would wait forever.
TEST_F(InfoTest, ReadsAPipe) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int writer = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::write(writer, "0 1\n", 4), 4);
  const int events = ::inotify_init1(IN_CLOEXEC);
  ASSERT_GE(::inotify_add_watch(events, pipe.c_str(), IN_OPEN | IN_CLOSE_NOWRITE), 0);
  Process reader(testing::dsnn_command({"info", pipe}), {.patience = std::chrono::seconds(10)});
  inotify_event event = {};
  ASSERT_EQ(::read(events, &event, sizeof(event)), static_cast<ssize_t>(sizeof(event)));
  EXPECT_EQ(event.mask, static_cast<std::uint32_t>(IN_OPEN));
  ::close(writer);
  ASSERT_TRUE(succeeded(reader.wait()));
  ASSERT_EQ(::read(events, &event, sizeof(event)), static_cast<ssize_t>(sizeof(event)));
  EXPECT_EQ(event.mask, static_cast<std::uint32_t>(IN_CLOSE_NOWRITE));
  ASSERT_EQ(::fcntl(events, F_SETFL, O_NONBLOCK), 0);
  EXPECT_LT(::read(events, &event, sizeof(event)), 0) << "opened again";
  ::close(events);
}

TEST_F(InfoTest, CountsArcsWithoutWeight) {
  const std::string graph = write("g.txt", "0 1 0\n1 2 3\n2 0 1\n2 0 -1\n");
  const Json info = json_of({"info", graph});
  EXPECT_EQ(info["nodes"], 3);
  EXPECT_EQ(info["arcs"], 1);
  EXPECT_GT(info["zero_weight_arcs_dropped"], 0);
}

TEST_F(InfoTest, GivesNullForWhatIsNotDefined) {
  const std::string graph = write("loop.txt", "0 0\n");
  EXPECT_TRUE(json_of({"info", graph})["reciprocity"].is_null());
  EXPECT_TRUE(contains(run_dsnn({"info", graph}).out, "reciprocity        undefined"));
}

}  // namespace
}  // namespace dsnn
