#pragma once

#include <string>
#include <vector>

namespace dsnn::cli {

/// Shows the progress of work that takes longer than two seconds on stderr: one line, rewritten in
/// place, on a terminal; a line every five seconds elsewhere. The destructor erases the line.
class ProgressDisplay {
 public:
  ProgressDisplay();
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;
};

/// Writes to stderr; a closed stderr is not an error.
void print_error(const std::string& text);

/// Lines at the bottom of a terminal on stderr that are rewritten in place. The destructor erases
/// them.
class LiveLines {
 public:
  LiveLines() = default;
  ~LiveLines() { show({}); }
  LiveLines(const LiveLines&) = delete;
  LiveLines& operator=(const LiveLines&) = delete;

  /// Long lines are cut, and lines that do not fit on the screen are left out: scrolled lines
  /// cannot be erased.
  void show(std::vector<std::string> lines);

 private:
  std::size_t num_shown_ = 0;
};

/// Opens /dev/null for each closed standard stream: otherwise the next file opened would get its
/// number, and the program's messages would be written into that file.
void open_standard_streams();

/// The first Ctrl-C (or SIGTERM, or SIGHUP) asks the work to stop and clean up; another one, a
/// second or two later, ends the program. Signals ignored at the start (nohup) stay ignored.
void install_signal_handlers();

}  // namespace dsnn::cli
