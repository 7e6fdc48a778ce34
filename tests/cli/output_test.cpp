#include "cli/cli_test.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

// Outputs that cannot be written: one sentence, and no partial file.

namespace dsnn {
namespace {

using testing::CliTest;
using testing::failed_with;
using testing::joined;
using testing::Outcome;
using testing::run_dsnn;
using testing::succeeded;
using testing::Words;
using testing::operator+;

class OutputTest : public CliTest {
 protected:
  // All commands that write a file, without its name; files of 5 kB and more.
  std::vector<Words> commands() {
    std::string text;
    for (int u = 0; u < 150; ++u) text += fmt::format("{} {}\n{} {}\n", u, u + 1, u, u + 7);
    const std::string graph = write("graph.txt", text);
    return {{"laplacian", graph, "-o"},
            {"spectrum", graph, "-o"},
            {"generate", "dsbm", "-n", "350", "-C", "2", "--alpha-in", "0.1", "--alpha-out", "0.1",
             "--beta", "0.5", "-o"}};
  }

  void expect_refusal(const std::string& output, const Words& expected) {
    for (const Words& command : commands()) {
      const Words before = dir_.list();
      const Outcome outcome = run_dsnn(command + Words{output}, {.obeys_permissions = true});
      EXPECT_TRUE(failed_with(outcome, expected)) << joined(command);
      EXPECT_EQ(dir_.list(), before);
    }
  }
};

TEST_F(OutputTest, SayWhereTheyCannotWrite) {
  expect_refusal(path("no/such/out"), {"no/such/out: cannot ", "No such file or directory"});
  expect_refusal(dir_.path().string(), {"cannot write: is a directory"});
  write("file", "");
  expect_refusal(path("file/out"), {"file/out: cannot ", "Not a directory"});
  expect_refusal(path(std::string(256, 'x')), {"xxx: cannot ", "File name too long"});
  expect_refusal("", {"--output", "is empty"});
}

TEST_F(OutputTest, SayThatAFolderIsReadOnly) {
  std::filesystem::create_directory(dir_ / "fixed");
  std::filesystem::permissions(
      dir_ / "fixed", std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  expect_refusal(path("fixed/out"), {"fixed/out: cannot ", "Permission denied"});
}

// An unwritable path is detected before the work, which would never end.
TEST_F(OutputTest, FindOutEarly) {
  const std::string output = path("no/such/out");
  const Outcome outcome = run_dsnn({"generate", "dsbm", "-n", "100000000", "-C", "2", "--alpha-in",
                                    "1e-5", "--alpha-out", "1e-5", "--beta", "0.5", "-o", output},
                                   {.patience = std::chrono::seconds(20)});
  EXPECT_TRUE(failed_with(outcome, {output}));
  EXPECT_LT(outcome.seconds, 2);
}

TEST_F(OutputTest, LeaveNothingOnAFullDisk) {
  for (const Words& command : commands()) {
    const Words before = dir_.list();
    const Outcome outcome = run_dsnn(command + Words{path("out")}, {.file_bytes = 4096});
    EXPECT_TRUE(failed_with(outcome, {"out: cannot write: File too large"})) << joined(command);
    EXPECT_EQ(dir_.list(), before);
  }
}

TEST_F(OutputTest, KeepTheOldFileOnAFullDisk) {
  write("out", "what was there before");
  for (const Words& command : commands()) {
    const Words before = dir_.list();
    const Outcome outcome = run_dsnn(command + Words{path("out")}, {.file_bytes = 4096});
    EXPECT_TRUE(failed_with(outcome, {"out: cannot write: File too large"})) << joined(command);
    EXPECT_EQ(read("out"), "what was there before");
    EXPECT_EQ(dir_.list(), before);
  }
}

TEST_F(OutputTest, KeepTheInput) {
  const std::string graph = commands()[0][1];
  const std::string before = testing::read_text(graph);
  std::filesystem::create_symlink("graph.txt", dir_ / "link");
  for (const std::string& output : {graph, path("link")}) {
    for (const char* command : {"laplacian", "spectrum"}) {
      EXPECT_TRUE(failed_with(run_dsnn({command, graph, "-o", output}), {output, "is an input"}));
      EXPECT_EQ(testing::read_text(graph), before);
    }
  }
}

TEST_F(OutputTest, SayThatADeviceIsFull) {
  EXPECT_TRUE(failed_with(run_dsnn(commands()[0] + Words{"/dev/full"}),
                          {"/dev/full: cannot write: No space left on device"}));
  for (const std::size_t npz : {1, 2}) {
    EXPECT_TRUE(failed_with(run_dsnn(commands()[npz] + Words{"/dev/full"}),
                            {"/dev/full: cannot write: not a regular file"}));
  }
}

// More nodes than memory: an error, not a crash.
TEST_F(OutputTest, SayThatTheMemoryIsNotEnough) {
  if (testing::kIsSanitized) GTEST_SKIP() << "sanitizers need all addresses";
  const Words graph = {write("huge.txt", "0 2147483646\n"), "--num-nodes", "2147483647"};
  const std::vector<Words> all = {Words{"info"} + graph,
                                  Words{"verify"} + graph,
                                  Words{"spectrum", "-o", path("out")} + graph,
                                  Words{"laplacian", "-o", path("out")} + graph,
                                  {"generate", "dsbm", "-n", "2147483647", "-C", "1", "--alpha-in",
                                   "0", "--alpha-out", "0", "--beta", "0", "-o", path("out")}};
  for (const Words& arguments : all) {
    const Outcome outcome = run_dsnn(arguments, {.memory_bytes = rlim_t{2} << 30});
    EXPECT_TRUE(failed_with(outcome, {"memory"})) << joined(arguments);
    EXPECT_EQ(dir_.list(), Words{"huge.txt"});
  }
}

}  // namespace
}  // namespace dsnn
