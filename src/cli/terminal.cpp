#include "cli/terminal.h"

#include "dsnn/util/progress.h"

#include "util/screen.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <string>
#include <utility>

namespace dsnn::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{2};

/// The state of the screen: all handlers of a process share one terminal.
struct Screen {
  Clock::time_point start = Clock::now();
  Clock::time_point next = start + kPatience;
  bool is_terminal = ::isatty(STDERR_FILENO) == 1;
  bool has_line = false;
};

Screen& screen() {
  static Screen instance;
  return instance;
}

void show(const ProgressUpdate& update) {
  Screen& s = screen();
  const Clock::time_point now = Clock::now();
  if (now < s.next) return;
  const double elapsed = std::chrono::duration<double>(now - s.start).count();
  std::string text =
      fmt::format("{}{}{} ", update.scope, update.scope.empty() ? "" : ": ", update.stage);
  if (update.total > 0) {
    const double share = static_cast<double>(update.done) / static_cast<double>(update.total);
    text += fmt::format("{:.0f} %", 100 * share);
  } else {
    text += fmt::format("{}", update.done);
  }
  text += fmt::format(", {:.0f} s", elapsed);
  if (s.is_terminal) {
    print_error(fmt::format("\r\x1b[K{}", text));
    s.next = now + std::chrono::milliseconds(100);
  } else {
    print_error(fmt::format("dsnn: {}\n", text));
    s.next = now + std::chrono::seconds(5);
  }
  s.has_line = true;
}

volatile std::sig_atomic_t first_signal_second = 0;

extern "C" void on_signal(int signal_number) {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const auto second = static_cast<std::sig_atomic_t>(now.tv_sec);
  if (!is_cancel_requested()) {
    first_signal_second = second;
    request_cancel();
  } else if (second - first_signal_second > 1) {  // timeout(1) sends two at once: count them as one
    ::_exit(128 + signal_number);
  }
}

}  // namespace

void print_error(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

ProgressDisplay::ProgressDisplay() {
  screen();  // starts the clock
  set_progress_observer(show);
}

ProgressDisplay::~ProgressDisplay() {
  set_progress_observer({});
  if (screen().has_line && screen().is_terminal) {
    print_error("\r\x1b[K");
  }
}

void install_signal_handlers() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = 0;  // blocking calls, such as reading an idle pipe, are interrupted
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    ::sigaction(signal_number, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;  // nohup, or a background job
    ::sigaction(signal_number, &action, nullptr);
  }
  // A file over the size limit is then an error of write() instead of ending the program.
  ::signal(SIGXFSZ, SIG_IGN);
}

void LiveLines::show(std::vector<std::string> lines) {
  winsize size = {};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) {
    size.ws_row = 24;
    size.ws_col = 80;
  }
  lines = fit_to_screen(std::move(lines), size.ws_row, size.ws_col);
  std::string text;
  for (std::size_t i = 0; i < num_shown_; ++i) text += "\x1b[1A\x1b[2K";
  for (const std::string& line : lines) text += line + "\n";
  num_shown_ = lines.size();
  if (!text.empty()) print_error(text);
}

void open_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) != -1) continue;
    // In the wrong mode, so that using it still fails. open() returns the lowest free number: fd.
    ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace dsnn::cli
