#pragma once

#include <string>
#include <vector>

namespace dsnn::cli {

/// Shows the progress of whatever takes longer than two seconds on stderr: one line that is
/// rewritten on a terminal, a line every five seconds elsewhere. Erases its line when it goes.
class ProgressDisplay {
 public:
  ProgressDisplay();
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;
};

/// Writes to stderr; that nobody listens there is no reason to stop.
void print_error(const std::string& text);

/// Lines at the end of a terminal on stderr that are written anew again and again. Erases them when
/// it goes.
class LiveLines {
 public:
  LiveLines() = default;
  ~LiveLines() { show({}); }
  LiveLines(const LiveLines&) = delete;
  LiveLines& operator=(const LiveLines&) = delete;

  /// Long ones are cut and those that do not fit on the screen left out: what has been scrolled
  /// away cannot be taken back.
  void show(std::vector<std::string> lines);

 private:
  std::size_t num_shown_ = 0;
};

/// Opens /dev/null for each of the three standard streams that is closed: otherwise the next file
/// opened would take its number, and the program's words would end up in it.
void open_standard_streams();

/// The first Ctrl-C (or SIGTERM, or SIGHUP) asks the work to stop and tidy up; another one, a
/// second or two later, ends the program. Signals that were ignored at the start (nohup) stay so.
void install_signal_handlers();

}  // namespace dsnn::cli
