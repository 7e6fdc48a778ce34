#include "dsnn/version.h"

#include "cli/cli_test.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace dsnn {
namespace {

using testing::CliTest;
using testing::contains;
using testing::failed_with;
using testing::joined;
using testing::Json;
using testing::lines_of;
using testing::Outcome;
using testing::Process;
using testing::ProcessOptions;
using testing::run_dsnn;
using testing::succeeded;
using testing::Words;
using testing::operator+;

const std::vector<Words> kCommands = {{"info"},
                                      {"convert"},
                                      {"verify"},
                                      {"spectrum"},
                                      {"laplacian"},
                                      {"generate"},
                                      {"generate", "dsbm"},
                                      {"datasets"},
                                      {"datasets", "list"},
                                      {"datasets", "info"},
                                      {"datasets", "fetch"}};

class MainTest : public CliTest {};

TEST_F(MainTest, ShowsHelpWithoutArguments) {
  const Outcome outcome = run_dsnn({});
  EXPECT_TRUE(succeeded(outcome));
  EXPECT_EQ(outcome.out, run_dsnn({"--help"}).out);
  for (const Words& command : kCommands) {
    EXPECT_TRUE(contains(outcome.out, "  " + command[0] + " "));
  }
}

TEST_F(MainTest, ShowsHelpWithExamples) {
  for (const Words& command : kCommands) {
    const Outcome outcome = run_dsnn(command + Words{"--help"});
    EXPECT_TRUE(succeeded(outcome));
    EXPECT_TRUE(contains(outcome.out, "Usage: dsnn " + joined(command)));
    EXPECT_TRUE(contains(outcome.out, "Example"));
    EXPECT_TRUE(contains(outcome.out, "\n  dsnn " + joined(command)));
    EXPECT_EQ(outcome.out, run_dsnn(command + Words{"-h"}).out);
    if (command != Words{"generate"} && command != Words{"datasets"}) {
      EXPECT_TRUE(contains(outcome.out, "--json"));
    }
  }
}

// In a folder with the files named there.
TEST_F(MainTest, ExamplesRun) {
  write("edges.txt", "0 1\n1 2\n2 1\n");
  write_graph("graph.npz", {0, 1, 1, 2, 2, 1});
  write_array<double>("maps.npz", "maps", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  write_texas("data/texas.npz");
  write("edges.csv", "from,to\na,b\nb,c\n");
  write("nodes.csv", "id,topic\na,x\nb,y\nc,x\n");
  write("new_data/texas/out1_node_feature_label.txt", "node_id\tfeature\tlabel\n0\t1,0\t0\n");
  write("new_data/texas/out1_graph_edges.txt", "node_id\tnode_id\n0\t0\n");
  write("dataset/ogbn_arxiv/raw/edge.csv", "0,1\n");
  write("web-Google.txt.gz", "# FromNodeId\tToNodeId\n0\t1\n");
  write_graph("labelled.npz", {0, 1}, [](NpzWriter& writer) {
    static constexpr std::array<std::int64_t, 5> kLabels = {};
    writer.add<std::int64_t>("node_labels", {5}, kLabels);
  });
  int num_examples = 0;
  for (const Words& command : kCommands) {
    for (std::string line : lines_of(run_dsnn(command + Words{"--help"}).out)) {
      if (!line.starts_with("  dsnn ")) continue;
      line = line.substr(std::string("  dsnn").size());
      line = line.substr(0, line.find("  "));  // text after a gap is an explanation
      const std::string script = fmt::format("'{}'{}", DSNN_PROGRAM, line);
      EXPECT_TRUE(succeeded(Process({"/bin/sh", "-c", script}, {.folder = dir_.path()}).wait()))
          << line;
      ++num_examples;
    }
  }
  EXPECT_GE(num_examples, 12);
}

TEST_F(MainTest, ShowsTheVersion) {
  const Outcome outcome = run_dsnn({"--version"});
  EXPECT_TRUE(succeeded(outcome));
  EXPECT_TRUE(outcome.out.starts_with("dsnn " DSNN_VERSION "\n")) << outcome.out;
}

#if defined(__x86_64__)
TEST_F(MainTest, SaysWhereNumbersDiffer) {
  const auto version = [](const std::string& simd) {
    return run_dsnn({"--version"}, {.environment = {{"DSNN_SIMD", simd}}});
  };
  EXPECT_EQ(version("baseline").out,
            "dsnn " DSNN_VERSION
            "\nno fused multiply-add: training results differ in the last digits from those of "
            "machines that have it\n");
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    EXPECT_EQ(version("avx2").out, "dsnn " DSNN_VERSION "\n");
  }
  if (!__builtin_cpu_supports("avx512f")) {
    EXPECT_TRUE(failed_with(version("avx512"), {"DSNN_SIMD is 'avx512', but this machine has"}));
  }
}
#endif

TEST_F(MainTest, SuggestsTheNearestWord) {
  EXPECT_TRUE(failed_with(run_dsnn({"laplcian"}),
                          {"unknown argument 'laplcian'; did you mean 'laplacian'?"}));
  EXPECT_TRUE(failed_with(run_dsnn({"spektrum", "graph.txt"}), {"did you mean 'spectrum'?"}));
  EXPECT_TRUE(failed_with(run_dsnn({"generate", "sbm"}), {"did you mean 'dsbm'?"}));
  EXPECT_TRUE(failed_with(run_dsnn({"laplacian", "g", "-o", "L.mtx", "--normalize", "exact"}),
                          {"'--normalize'; did you mean '--normalise'?", "laplacian --help"}));
  EXPECT_TRUE(failed_with(run_dsnn({"spectrum", "g", "--whihc", "largest"}),
                          {"unknown argument '--whihc'; did you mean '--which'?"}));
}

TEST_F(MainTest, SuggestsNothingWhereNothingIsNear) {
  const Outcome outcome = run_dsnn({"xylophone"});
  EXPECT_TRUE(failed_with(outcome, {"unknown argument 'xylophone' (see 'dsnn --help')"}));
  EXPECT_EQ(outcome.err.find("did you mean"), std::string::npos);
}

TEST_F(MainTest, RefusesWhatItDoesNotUnderstand) {
  const std::string graph = write("g.txt", "0 1\n");
  struct Case {
    Words arguments;
    std::string expected;
  };
  const Case cases[] = {
      {{"--json"}, "unknown argument '--json'"},
      {{"info"}, "GRAPH (or --edges) is required (see 'dsnn info --help')"},
      {{"info", ""}, "GRAPH (or --edges) is required"},
      {{"info", graph, "--edges", graph}, "GRAPH: cannot be combined with --edges"},
      {{"info", "--edges", graph, "--num-nodes", "4"}, "--num-nodes: has no effect with --edges"},
      {{"info", graph, "--source-column", "id"}, "--source-column requires --edges"},
      {{"info", "--edges", graph, "--label-column", "x"}, "--label-column requires --nodes"},
      {{"info", graph, "--num-splits", "0"}, "--num-splits: '0', expected an integer from 1"},
      {{"info", graph, "--split-seed", "-1"}, "--split-seed: '-1', expected an integer from 0"},
      {{"info", "--edges", graph, "--unknown-nodes", "keep"}, "--unknown-nodes"},
      {{"info", graph, "--split", "50/50"}, "--split: '50/50' has 2 values, expected 3"},
      {{"info", graph, "--split", "50/30/30"}, "'50/30/30' adds up to 110, expected 100 or 1"},
      {{"info", graph, "--split", "a/b/c"}, "--split: 'a/b/c', expected numbers separated by /"},
      {{"info", graph, "--per-class", "2.5/3"}, "--per-class: '2.5/3', expected integers"},
      {{"info", graph, "--split", "48/32/20", "--per-class", "2/3"}, "excludes"},
      {{"info", graph, "more"}, "unknown argument 'more'"},
      {{"info", graph, "--num-nodes", "0"}, "--num-nodes"},
      {{"info", graph, "--num-nodes", "-3"}, "--num-nodes"},
      {{"info", graph, "--num-nodes", "many"}, "--num-nodes"},
      {{"info", graph, "--num-nodes", "2147483648"}, "expected an integer from 1 to 2147483647"},
      {{"laplacian", graph}, "--output is required"},
      {{"laplacian", graph, "-o"}, "--output"},
      {{"laplacian", graph, "-o", "a", "-o", "b"}, "--output"},
      {{"laplacian", graph, "-o", "a", "--maps", "m.npz", "--sheaf", "trivial"}, "excludes"},
      {{"laplacian", graph, "-o", "a", "--sheaf", "magnetc"}, "--sheaf"},
      {{"laplacian", graph, "-o", "a", "--normalise", "some"}, "--normalise"},
      {{"spectrum", graph, "-k", "0"}, "--count"},
      {{"spectrum", graph, "-k", "1.5"}, "--count"},
      {{"spectrum", graph, "-k", "0x10"}, "expected an integer from 1 to"},
      {{"spectrum", graph, "--which", "middle"}, "--which"},
      {{"verify", graph, "--d", "0"}, "--d"},
      {{"verify", graph, "--trials", "0"}, "--trials"},
      {{"verify", graph, "--seed", "-1"}, "--seed"},
      {{"generate"}, "subcommand is required (see 'dsnn generate --help')"},
      {{"generate", "dsbm"}, "is required (see 'dsnn generate dsbm --help')"},
  };
  const Words before = dir_.list();
  for (const Case& c : cases) {
    const Outcome outcome = run_dsnn(c.arguments, {.folder = dir_.path()});
    EXPECT_TRUE(failed_with(outcome, {c.expected})) << joined(c.arguments);
    EXPECT_EQ(outcome.code, 2) << joined(c.arguments);
    EXPECT_EQ(dir_.list(), before);
  }
}

TEST_F(MainTest, AnswersWithin50Milliseconds) {
  if (testing::kIsSanitized) GTEST_SKIP() << "sanitizers start slowly";
  const std::string graph = write("g.txt", "0 1\n1 2\n2 1\n");
  for (const Words& arguments : {Words{"--version"}, {"--help"}, {"info", graph}}) {
    double best = 1;
    for (int run = 0; run < 10; ++run) best = std::min(best, run_dsnn(arguments).seconds);
    EXPECT_LT(best, 0.050) << joined(arguments);
  }
}

// The libraries in its memory while it waits for a graph, including those opened at run time.
TEST_F(MainTest, DoesNotLoadLibTorch) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int held_open = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  Process process(testing::dsnn_command({"info", pipe}));
  const std::filesystem::path state = fmt::format("/proc/{}", process.pid());
  const auto is_reading = [&] {
    std::error_code ignored;
    for (const auto& fd : std::filesystem::directory_iterator(state / "fd", ignored)) {
      if (std::filesystem::read_symlink(fd.path(), ignored) == pipe) return true;
    }
    return false;
  };
  // Until the child has executed the program, the pipe belongs to the test.
  while (process.is_running() &&
         (std::filesystem::read_symlink(state / "exe") != DSNN_PROGRAM || !is_reading())) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_TRUE(process.is_running());
  const std::string maps = testing::read_text(state / "maps");
  ::close(held_open);
  EXPECT_TRUE(contains(maps, DSNN_PROGRAM));
  EXPECT_EQ(maps.find("torch"), std::string::npos) << maps;
  EXPECT_EQ(maps.find("libc10"), std::string::npos) << maps;
}

TEST_F(MainTest, SaysWhenTheStandardOutputIsFull) {
  const std::string graph = write("g.txt", "0 1\n");
  std::vector<Words> commands = {{},
                                 {"--version"},
                                 {"--help"},
                                 {"generate", "dsbm", "--help"},
                                 {"info", graph},
                                 {"verify", graph},
                                 {"verify", graph, "--json"},
                                 {"spectrum", graph},
                                 {"spectrum", graph, "--json"},
                                 {"laplacian", graph, "-o", path("L.mtx")}};
  for (const Words& arguments : commands) {
    const Outcome outcome = run_dsnn(arguments, {.stdout_to = "/dev/full"});
    EXPECT_TRUE(failed_with(outcome, {"standard output", "No space left on device"}))
        << joined(arguments);
  }
}

TEST_F(MainTest, SaysWhenTheStandardOutputIsClosed) {
  const std::string graph = write("g.txt", "0 1\n");
  for (const std::string& arguments : {std::string("--version"), "info '" + graph + "'"}) {
    const std::string script = fmt::format("exec '{}' {} >&-", DSNN_PROGRAM, arguments);
    EXPECT_TRUE(failed_with(Process({"/bin/sh", "-c", script}).wait(), {"standard output"}))
        << arguments;
  }
}

TEST_F(MainTest, KeepsItsCodeWithoutAnyoneToListen) {
  const std::string graph = write("g.txt", "0 1\n");
  const auto code_of = [](const std::string& arguments) {
    const std::string script = fmt::format("exec '{}' {}", DSNN_PROGRAM, arguments);
    return Process({"/bin/sh", "-c", script}).wait().code;
  };
  for (const char* to : {"2>/dev/full", "2>&-"}) {
    EXPECT_EQ(code_of(fmt::format("info '{}' {}", path("missing"), to)), 1);
    EXPECT_EQ(code_of(fmt::format("unknown {}", to)), 2);
    EXPECT_EQ(code_of(fmt::format("info '{}' {}", graph, to)), 0);
  }
}

TEST_F(MainTest, KeepsToOneLineWhateverTheNames) {
  EXPECT_TRUE(failed_with(run_dsnn({"info", path("no\nsuch\x1b[31m\tfile")}), {"no such"}));
  EXPECT_TRUE(failed_with(run_dsnn({"info", "--no\nsuch"}), {"unknown argument"}));
  EXPECT_TRUE(failed_with(run_dsnn({"no\nsuch"}), {"unknown argument"}));
}

TEST_F(MainTest, WritesJsonWhateverTheNames) {
  const std::string graph = write("a\xff\"b.txt", "0 1\n");
  EXPECT_EQ(json_of({"info", graph})["name"], "a\xef\xbf\xbd\"b");
  EXPECT_TRUE(json_of({"laplacian", graph, "-o", path("L\xff.mtx")}).contains("output"));
  EXPECT_TRUE(exists("L\xff.mtx"));
}

}  // namespace
}  // namespace dsnn
