#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <linux/capability.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace dsnn::testing {

/// The result of a command.
struct Outcome {
  int code = 0;          ///< exit code, or minus the number of the signal that killed it
  std::string out, err;  ///< its output
  double seconds = 0;
};

struct ProcessOptions {
  std::string stdout_to = {};         ///< a file instead of Outcome::out
  std::filesystem::path folder = {};  ///< to run in; empty: this one
  std::optional<rlim_t> file_bytes =
      {};  ///< limit on file sizes: looks like a full disk to write()
  std::optional<rlim_t> memory_bytes = {};
  bool ignores_signals = false;    ///< as under nohup
  bool obeys_permissions = false;  ///< even if root runs the tests
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::chrono::seconds patience{120};  ///< then it is killed
};

/// A running command. Its output goes to unnamed files, so that it never waits for a reader.
class Process {
 public:
  explicit Process(std::vector<std::string> command, ProcessOptions options = {})
      : options_(std::move(options)), start_(Clock::now()) {
    out_ = std::tmpfile();
    err_ = std::tmpfile();
    if (out_ == nullptr || err_ == nullptr) throw std::runtime_error("cannot make files");
    std::vector<char*> argv;
    for (std::string& word : command) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("cannot fork");
    if (pid_ == 0) become(argv.data());
  }
  ~Process() {
    if (is_running_) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    std::fclose(out_);
    std::fclose(err_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void send(int signal_number) const { ::kill(pid_, signal_number); }

  /// Whether it has not ended yet.
  bool is_running() {
    if (is_running_ && ::waitpid(pid_, &status_, WNOHANG) == pid_) {
      is_running_ = false;
      seconds_ = std::chrono::duration<double>(Clock::now() - start_).count();
    }
    return is_running_;
  }

  /// Waits for the end; throws after the time limit.
  Outcome wait() {
    while (is_running()) {
      if (Clock::now() - start_ > options_.patience) throw std::runtime_error("does not end");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const int code = WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_);
    return {code, text_of(out_), text_of(err_), seconds_};
  }

 private:
  using Clock = std::chrono::steady_clock;

  // In the child.
  [[noreturn]] void become(char** argv) const {
    int out = ::fileno(out_);
    if (!options_.stdout_to.empty()) out = ::open(options_.stdout_to.c_str(), O_WRONLY);
    const int in = ::open("/dev/null", O_RDONLY);
    bool is_ready =
        in >= 0 && ::dup2(in, 0) == 0 && ::dup2(out, 1) == 1 && ::dup2(::fileno(err_), 2) == 2;
    if (!options_.folder.empty()) is_ready &= ::chdir(options_.folder.c_str()) == 0;
    for (const auto& [name, value] : options_.environment) {
      is_ready &= ::setenv(name.c_str(), value.c_str(), 1) == 0;
    }
    if (options_.file_bytes) is_ready &= limit(RLIMIT_FSIZE, *options_.file_bytes);
    if (options_.memory_bytes) is_ready &= limit(RLIMIT_AS, *options_.memory_bytes);
    if (options_.obeys_permissions && ::geteuid() == 0) {
      is_ready &= ::prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0) == 0 &&
                  ::prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH, 0, 0, 0) == 0;
    }
    // As in a terminal, regardless of how the tests were started.
    for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
      ::signal(signal_number, options_.ignores_signals ? SIG_IGN : SIG_DFL);
    }
    if (is_ready) ::execv(argv[0], argv);
    ::_exit(127);
  }

  template <class Resource>
  static bool limit(Resource resource, rlim_t value) {
    const rlimit limits = {value, value};
    return ::setrlimit(resource, &limits) == 0;
  }

  static std::string text_of(std::FILE* file) {
    std::string text;
    std::rewind(file);
    char buffer[4096];
    while (const std::size_t got = std::fread(buffer, 1, sizeof(buffer), file)) {
      text.append(buffer, got);
    }
    return text;
  }

  ProcessOptions options_;
  Clock::time_point start_;
  std::FILE* out_ = nullptr;
  std::FILE* err_ = nullptr;
  pid_t pid_ = -1;
  int status_ = 0;
  bool is_running_ = true;
  double seconds_ = 0;
};

inline std::vector<std::string> dsnn_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {DSNN_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

/// Runs the program as a user would.
inline Outcome run_dsnn(const std::vector<std::string>& arguments, ProcessOptions options = {}) {
  return Process(dsnn_command(arguments), std::move(options)).wait();
}

}  // namespace dsnn::testing
