#include "cli/cli_test.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

// Ctrl-C: the program stops soon, prints one sentence and leaves no file.

namespace dsnn {
namespace {

using testing::CliTest;
using testing::dsnn_command;
using testing::failed_with;
using testing::joined;
using testing::Outcome;
using testing::Process;
using testing::run_dsnn;
using testing::succeeded;
using testing::without_progress;
using testing::Words;
using testing::operator+;
using Clock = std::chrono::steady_clock;

constexpr int kCancelled = 130;
const testing::ProcessOptions kPatient = {.patience = std::chrono::seconds(60)};

class InterruptTest : public CliTest {
 protected:
  std::string dsbm(const std::string& nodes, const std::string& alpha) {
    EXPECT_TRUE(succeeded(run_dsnn({"generate", "dsbm", "-n", nodes, "-C", "2", "--alpha-in", alpha,
                                    "--alpha-out", alpha, "--beta", "0.5", "-o", path("g.npz")})));
    return path("g.npz");
  }

  // Runs the command, sends the signals as soon as `is_time`, and expects it to end within two
  // seconds.
  template <class IsTime>
  void interrupt(const Words& arguments, const IsTime& is_time, const std::vector<int>& signals) {
    const Words before = dir_.list();
    Process process(dsnn_command(arguments), kPatient);
    while (process.is_running() && !is_time()) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    ASSERT_TRUE(process.is_running()) << "ended too soon: " << joined(arguments);
    const Clock::time_point sent = Clock::now();
    for (const int signal_number : signals) process.send(signal_number);
    const Outcome outcome = without_progress(process.wait());
    EXPECT_LT(Clock::now() - sent, std::chrono::seconds(testing::kIsSanitized ? 10 : 2));
    EXPECT_EQ(outcome.code, kCancelled);
    EXPECT_TRUE(failed_with(outcome, {"cancelled"})) << joined(arguments);
    EXPECT_EQ(dir_.list(), before);
  }

  static auto after_half_a_second() {
    return [end = Clock::now() + std::chrono::milliseconds(500)] { return Clock::now() >= end; };
  }
  // As soon as a new file appears.
  auto when_it_writes() {
    return [this, count = dir_.list().size()] { return dir_.list().size() > count; };
  }
};

TEST_F(InterruptTest, StopsSampling) {
  const Words command = {"generate", "dsbm",       "-n",   "100000000",    "-C",
                         "2",        "--alpha-in", "1e-6", "--alpha-out",  "1e-6",
                         "--beta",   "0.5",        "-o",   path("out.npz")};
  interrupt(command, after_half_a_second(), {SIGINT});
  interrupt(command, after_half_a_second(), {SIGTERM});
  interrupt(command, after_half_a_second(), {SIGHUP});
}

TEST_F(InterruptTest, StopsLookingForEigenvalues) {
  const std::string graph = dsbm("20000", "1e-3");
  interrupt({"spectrum", graph, "-k", "200", "-o", path("out.npz")}, after_half_a_second(),
            {SIGINT});
}

TEST_F(InterruptTest, StopsCheckingTheorems) {
  const std::string graph = write("g.txt", "0 1\n1 2\n2 1\n");
  interrupt({"verify", graph, "--trials", "1000000"}, after_half_a_second(), {SIGINT});
  interrupt({"verify", dsbm("20000", "1e-3"), "--d", "6"}, after_half_a_second(), {SIGTERM});
}

TEST_F(InterruptTest, StopsWritingAMatrix) {
  const std::string graph = dsbm("100000", "2e-4");
  interrupt({"laplacian", graph, "--low-pass", "-o", path("out.mtx")}, when_it_writes(), {SIGINT});
  write("out.mtx", "what was there before");
  interrupt({"laplacian", graph, "--low-pass", "-o", path("out.mtx")}, when_it_writes(), {SIGINT});
  EXPECT_EQ(read("out.mtx"), "what was there before");
}

TEST_F(InterruptTest, StopsWritingAnArchive) {
  interrupt({"generate", "dsbm", "-n", "1000000", "-C", "2", "--alpha-in", "4e-6", "--alpha-out",
             "4e-6", "--beta", "0.5", "-o", path("out.npz")},
            when_it_writes(), {SIGINT});
}

// As timeout(1) does: this counts as one request.
TEST_F(InterruptTest, TakesTwoSignalsAtOnceAsOne) {
  const std::string graph = dsbm("100000", "2e-4");
  interrupt({"laplacian", graph, "--low-pass", "-o", path("out.mtx")}, when_it_writes(),
            {SIGTERM, SIGTERM});
}

TEST_F(InterruptTest, StopsWaitingForAPipe) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  interrupt({"info", path("pipe")}, after_half_a_second(), {SIGINT});  // waits to open it
  const int held_open = ::open(path("pipe").c_str(), O_RDWR | O_CLOEXEC);
  interrupt({"info", path("pipe")}, after_half_a_second(), {SIGINT});  // waits to read it
  ::close(held_open);
}

TEST_F(InterruptTest, LeavesIgnoredSignalsAlone) {
  testing::ProcessOptions under_nohup = kPatient;
  under_nohup.ignores_signals = true;
  const auto is_time = when_it_writes();
  Process process(dsnn_command({"generate", "dsbm", "-n", "300000", "-C", "2", "--alpha-in", "1e-5",
                                "--alpha-out", "1e-5", "--beta", "0.5", "-o", path("out.npz")}),
                  under_nohup);
  while (process.is_running() && !is_time()) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  ASSERT_TRUE(process.is_running());
  for (const int signal_number : {SIGHUP, SIGINT, SIGTERM}) process.send(signal_number);
  EXPECT_TRUE(succeeded(without_progress(process.wait())));
  EXPECT_EQ(dir_.list(), Words{"out.npz"});
}

}  // namespace
}  // namespace dsnn
