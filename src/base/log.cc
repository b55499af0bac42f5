#include "base/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <span>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/resource_limits.h"

namespace lockstep {
namespace {

char letter(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return 'D';
    case LogLevel::info:
    case LogLevel::result:
      return 'I';
    case LogLevel::warning:
      return 'W';
    case LogLevel::error:
      return 'E';
  }
  return '?';
}

// The system's error, 0 for none.
int write_text(int descriptor, std::string_view text) {
  return write_fully(descriptor, std::as_bytes(std::span(text))).error;
}

// text with the prefix before each of its lines, so that lines of many ranks can be sorted out again.
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

Log::Log(int rank, int world_size, bool quiet) : rank_(rank), world_size_(world_size), quiet_(quiet) {}

Log::~Log() = default;

void Log::open_file(const std::string& path) {
  // Without waiting: a pipe of that name would be opened only when somebody reads it.
  Descriptor file = open_descriptor(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK, 0666);
  if (const int error = errno; !file.is_open()) {
    throw Error(code_of_failure(error, ExitCode::cannot_write),
                fmt::format("cannot write the log file {}: {}", path,
                            failure_text(error, "give an --output_dir that every rank may write to")));
  }
  const std::lock_guard lock(mutex_);
  file_ = std::make_unique<Descriptor>(std::move(file));
  static_cast<void>(write_text(file_->number(), before_file_));  // what cannot be written is found by the next line
  before_file_.clear();
  may_open_ = false;
}

void Log::write(LogLevel level, std::string_view text) {
  const std::string prefix =
      fmt::format("[{:7.3f}s r{}/{} {}] ", since_start_.seconds(), rank_, world_size_, letter(level));
  const std::string lines = prefixed(prefix, printable_message(text, kMaxLogBytes));
  const bool chief_reports = rank_ == 0 && (level == LogLevel::result || (level == LogLevel::info && !quiet_));

  const std::lock_guard lock(mutex_);
  // Whoever closed our stderr does not want to know.
  if (level >= LogLevel::warning || chief_reports) static_cast<void>(write_text(STDERR_FILENO, lines));
  if (may_open_ && before_file_.size() < kMaxBytesBeforeFile) before_file_ += lines;
  if (file_ == nullptr) return;
  if (const int error = write_text(file_->number(), lines)) {
    // A full disk ends checkpoints and metrics with an error of their own; a log alone is no reason to stop training.
    file_.reset();
    const std::string last =
        fmt::format("{}this rank's log file ends here, it cannot be written: {}\n", prefix, system_message(error));
    static_cast<void>(write_text(STDERR_FILENO, last));
  }
}

}  // namespace lockstep
