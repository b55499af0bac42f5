#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"

// The log of a run, for its user. Every line is one write, so lines of different ranks do not mix.
namespace lockstep {

class Descriptor;
class Terminal;

inline constexpr std::size_t kMaxLogBytes = 64 << 10;  // limit of one text

enum class LogLevel {
  debug,
  info,
  result,  // info that --quiet shows as well: results of the run
  warning,
  error,
};

// Returns the lines in the colour in which a terminal shows that level; unchanged for a level without a colour.
// REQUIRES: they end with a line break, which stays last.
std::string coloured(LogLevel level, const std::string& lines);

// One rank's log: lines "[ 12.041s r3/16 I] text", with the seconds since the Log was made, at the start of the job.
//
// The chief's info goes to stderr, of the other ranks only warnings and errors; --quiet holds back the chief's info
// too, except results. With open_file() (an --output_dir) every line, debug too, is also appended to that rank's file,
// which begins with the lines logged before it was open.
// Each line of a text gets the prefix; control characters other than line breaks and tabs are shown as \x1b
// (base/printable.h).
// On a terminal warnings and errors have colours, and the chief's last line may be a status that changes.
// A text beyond kMaxLogBytes, which only a value from outside can cause, is cut to its beginning and its end.
// A file that can no longer be written is given up, which a line on stderr says.
// Owned by main and passed by reference. Any thread may call.
class Log {
 public:
  Log(int rank, int world_size, bool quiet);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Throws Error(cannot_write), or Error(internal) for too many open files.
  void open_file(const std::string& path);
  // Sets the terminal that stderr goes to; null, as before the call: none.
  void open_terminal(std::unique_ptr<Terminal> terminal);

  template <class... Args>
  void debug(fmt::format_string<Args...> text, Args&&... args) {
    write(LogLevel::debug, fmt::format(text, std::forward<Args>(args)...));
  }
  template <class... Args>
  void info(fmt::format_string<Args...> text, Args&&... args) {
    write(LogLevel::info, fmt::format(text, std::forward<Args>(args)...));
  }
  template <class... Args>
  void result(fmt::format_string<Args...> text, Args&&... args) {
    write(LogLevel::result, fmt::format(text, std::forward<Args>(args)...));
  }
  template <class... Args>
  void warning(fmt::format_string<Args...> text, Args&&... args) {
    write(LogLevel::warning, fmt::format(text, std::forward<Args>(args)...));
  }

  void write(LogLevel level, std::string_view text);
  // Writes to stderr, on every rank and unchanged: for a report with lines of its own form.
  void write_report(std::string_view text);

  // Sets the last line of the chief's terminal, which stays below all lines of the log until the next status replaces
  // it; "" removes it. An error removes it for good, so that a failing job ends with its message.
  //
  // text may have no control characters except those of colours.
  void status(const std::string& text);
  // The space for a status at this moment.
  struct StatusSpace {
    int columns = 0;  // 0: no status is shown, for want of a terminal, because of --quiet, or on another rank
    bool colours = false;
  };
  StatusSpace status_space() const;

 private:
  int rank_;
  int world_size_;
  bool quiet_;
  Stopwatch since_start_;
  void write_to_stderr(LogLevel level, const std::string& lines);  // REQUIRES: mutex_ is held

  mutable std::mutex mutex_;
  // Guarded by mutex_:
  std::unique_ptr<Terminal> terminal_;  // null: none
  std::string status_;                  // the status shown; empty: none
  int status_made_for_ = 0;             // columns of the terminal when it was written
  bool failed_ = false;                 // an error was written
  std::unique_ptr<Descriptor> file_;    // null: none
  bool may_open_ = true;                // no file was opened yet
  std::string before_file_;             // the lines until then; none is added from kMaxBytesBeforeFile on
  static constexpr std::size_t kMaxBytesBeforeFile = 1 << 16;
};

}  // namespace lockstep
