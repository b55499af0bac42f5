#include "base/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/resource_limits.h"
#include "base/terminal.h"

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

// The cursor rests at the beginning of the status, so that output of others begins there, and so that erasing from it
// also removes what a narrower window has wrapped.
constexpr std::string_view kEraseStatus = "\r\x1b[J";

std::string_view colour(LogLevel level) {
  if (level == LogLevel::error) return "\x1b[31m";    // red
  if (level == LogLevel::warning) return "\x1b[33m";  // yellow
  return "";
}

// Writes a text. Returns the system's error, 0 for none.
int write_text(int descriptor, std::string_view text) {
  return write_fully(descriptor, std::as_bytes(std::span(text))).error;
}

// Puts the prefix before each line of text, so that lines of many ranks can be sorted out again.
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

std::string coloured(LogLevel level, const std::string& lines) {
  if (colour(level).empty()) return lines;
  return fmt::format("{}{}\x1b[0m\n", colour(level), std::string_view(lines).substr(0, lines.size() - 1));
}

Log::Log(int rank, int world_size, bool quiet) : rank_(rank), world_size_(world_size), quiet_(quiet) {}

Log::~Log() = default;

void Log::open_file(const std::string& path) {
  // Opens without waiting: opening a pipe of that name would wait for a reader.
  Descriptor file = open_descriptor(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK, 0666);
  if (const int error = errno; !file.is_open()) {
    throw Error(code_of_failure(error, ExitCode::cannot_write),
                fmt::format("cannot write the log file {}: {}", path,
                            failure_text(error, "give an --output_dir that every rank may write to")));
  }
  const std::lock_guard lock(mutex_);
  file_ = std::make_unique<Descriptor>(std::move(file));
  static_cast<void>(write_text(file_->number(), before_file_));  // the next line finds an error
  before_file_.clear();
  may_open_ = false;
}

void Log::open_terminal(std::unique_ptr<Terminal> terminal) {
  const std::lock_guard lock(mutex_);
  terminal_ = std::move(terminal);
}

void Log::write(LogLevel level, std::string_view text) {
  const std::string prefix =
      fmt::format("[{:7.3f}s r{}/{} {}] ", since_start_.seconds(), rank_, world_size_, letter(level));
  const std::string lines = prefixed(prefix, printable_message(text, kMaxLogBytes));
  const bool chief_reports = rank_ == 0 && (level == LogLevel::result || (level == LogLevel::info && !quiet_));

  const std::lock_guard lock(mutex_);
  if (level >= LogLevel::warning || chief_reports) write_to_stderr(level, lines);
  if (may_open_ && before_file_.size() < kMaxBytesBeforeFile) before_file_ += lines;
  if (file_ == nullptr) return;
  if (const int error = write_text(file_->number(), lines)) {
    // A full disk ends checkpoints and metrics with errors of their own; a log alone is no reason to stop training.
    file_.reset();
    const std::string last =
        fmt::format("{}this rank's log file ends here, it cannot be written: {}\n", prefix, system_message(error));
    write_to_stderr(LogLevel::info, last);
  }
}

void Log::write_report(std::string_view text) {
  const std::lock_guard lock(mutex_);
  write_to_stderr(LogLevel::info, std::string(text));
}

void Log::write_to_stderr(LogLevel level, const std::string& lines) {
  std::string text;
  // Other ranks have no status of their own, but the chief's may be on their terminal.
  const bool erase = rank_ == 0 ? !status_.empty() : terminal_ && !quiet_;
  if (erase) text += kEraseStatus;
  failed_ |= level == LogLevel::error;
  if (failed_) status_.clear();
  const bool colours = terminal_ && terminal_->colours();
  text += colours ? coloured(level, lines) : lines;
  // The status would wrap in a window that has become narrower.
  if (!status_.empty() && terminal_->columns() >= status_made_for_) text += status_ + "\r";
  static_cast<void>(write_text(STDERR_FILENO, text));  // with stderr closed there is no reader
}

void Log::status(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (!terminal_ || quiet_ || rank_ != 0 || failed_ || (text.empty() && status_.empty())) return;
  status_ = text;
  status_made_for_ = terminal_->columns();
  // Overwrites the old status before erasing the rest of it: a line that went blank first would flicker.
  static_cast<void>(
      write_text(STDERR_FILENO, text.empty() ? std::string(kEraseStatus) : fmt::format("\r{}\x1b[J\r", text)));
}

Log::StatusSpace Log::status_space() const {
  const std::lock_guard lock(mutex_);
  if (!terminal_ || quiet_ || rank_ != 0) return {};
  // A full line would leave the cursor between two lines.
  return {.columns = std::max(terminal_->columns() - 1, 1), .colours = terminal_->colours()};
}

}  // namespace lockstep
