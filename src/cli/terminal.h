#pragma once

#include <string>

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

/// Takes back the last lines that were written to a terminal on stderr.
void erase_lines(int count);

/// Opens /dev/null for each of the three standard streams that is closed: otherwise the next file
/// opened would take its number, and the program's words would end up in it.
void open_standard_streams();

/// The first Ctrl-C (or SIGTERM, or SIGHUP) asks the work to stop and tidy up; another one, a
/// second or two later, ends the program. Signals that were ignored at the start (nohup) stay so.
void install_signal_handlers();

}  // namespace dsnn::cli
