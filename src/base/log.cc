#include "base/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace lockstep {
namespace {

char letter(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return 'D';
    case LogLevel::info:
      return 'I';
    case LogLevel::warning:
      return 'W';
    case LogLevel::error:
      return 'E';
  }
  return '?';
}

// One write as long as the system takes it in one piece. Returns whether all of it was written.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// text with the prefix in front of each of its lines, so that lines of many ranks can be sorted out again.
std::string prefixed(std::string_view prefix, std::string_view text) {
  std::string result;
  while (true) {
    const std::size_t end = text.find('\n');
    result.append(prefix).append(text.substr(0, end)).append("\n");
    if (end == std::string_view::npos || end + 1 == text.size()) return result;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Log::~Log() {
  if (file_ >= 0) ::close(file_);
}

void Log::open_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) {
    throw Error(ExitCode::cannot_write,
                fmt::format("cannot write the log file {}: {}; give an --output_dir that every rank may write to", path,
                            std::strerror(errno)));
  }
  const std::lock_guard lock(mutex_);
  if (file_ >= 0) ::close(file_);
  file_ = file;
  static_cast<void>(write_all(file_, before_file_));  // what cannot be written is found by the next line
  before_file_.clear();
  may_open_ = false;
}

void Log::write(LogLevel level, std::string_view text) {
  const std::string prefix =
      fmt::format("[{:7.3f}s r{}/{} {}] ", since_start_.seconds(), rank_, world_size_, letter(level));
  const std::string lines = prefixed(prefix, text);
  const bool chief_tells = rank_ == 0 && level == LogLevel::info && !quiet_;

  const std::lock_guard lock(mutex_);
  // Whoever closed our stderr does not want to know.
  if (level >= LogLevel::warning || chief_tells) static_cast<void>(write_all(STDERR_FILENO, lines));
  if (may_open_ && before_file_.size() < kMostBefore) before_file_ += lines;
  if (file_ >= 0 && !write_all(file_, lines)) {
    // A full disk ends checkpoints and metrics with an error of their own; a log alone is no reason to stop training.
    const std::string reason = std::strerror(errno);
    ::close(file_);
    file_ = -1;
    static_cast<void>(write_all(
        STDERR_FILENO, fmt::format("{}this rank's log file ends here, it cannot be written: {}\n", prefix, reason)));
  }
}

}  // namespace lockstep
