#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"

// What a run reports to its user. Every line is one write, so lines of different ranks do not mix.
namespace lockstep {

class Descriptor;

inline constexpr std::size_t kMaxLogBytes = 64 << 10;  // of one text

enum class LogLevel {
  debug,
  info,
  result,  // info that --quiet shows as well: what a run has come to
  warning,
  error,
};

// One rank's log: lines "[ 12.041s r3/16 I] text", seconds since the job has started.
//
// The chief's info goes to stderr, of the other ranks only warnings and errors; --quiet keeps the chief's info back
// too, but for results. With open_file() (an --output_dir) every line, debug too, is also appended to that rank's file,
// those that were said before it was open first.
// A text of several lines gets the prefix on each; other control characters in it are shown as \x1b (base/printable.h).
// Of a text beyond kMaxLogBytes, which only a value from outside can give it, the beginning and the end are written.
// A file that can no longer be written is given up with a warning.
// Owned by main and passed by reference. Any thread may call.
class Log {
 public:
  Log(int rank, int world_size, bool quiet);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Throws Error(cannot_write).
  void open_file(const std::string& path);

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

 private:
  int rank_;
  int world_size_;
  bool quiet_;
  Stopwatch since_start_;
  std::mutex mutex_;
  // Guarded by mutex_:
  std::unique_ptr<Descriptor> file_;  // null: none
  bool may_open_ = true;              // there was none yet
  std::string before_file_;           // what was said until then, up to kMaxBytesBeforeFile
  static constexpr std::size_t kMaxBytesBeforeFile = 1 << 16;
};

}  // namespace lockstep
