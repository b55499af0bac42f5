#include "train/output/metrics.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include "base/durable_file.h"
#include "base/error.h"
#include "base/input_file.h"
#include "train/output/append_record.h"

namespace lockstep {

MetricsFile::MetricsFile(const std::string& path, std::string_view kept, std::function<void()> before_rename, Warn warn)
    : path_(path), before_rename_(std::move(before_rename)), warn_(std::move(warn)) {
  replace_file(path, std::as_bytes(std::span(kept)), before_rename_);
  file_ = open_to_append(path);
}

std::string read_metrics(const std::string& folder) {
  try {
    std::optional<InputFile> file = InputFile::if_there((std::filesystem::path(folder) / kMetricsFile).string());
    return file ? file->read_all() : "";
  } catch (const Error& error) {
    if (error.code() != ExitCode::missing_input && error.code() != ExitCode::bad_data) throw;
    return "";
  }
}

void MetricsFile::warn(const std::string& what) {
  if (warn_) warn_(fmt::format("{} {}", path_, what));
}

void MetricsFile::stay_in_place() {
  struct stat mine {};
  struct stat named {};
  if (::fstat(file_.number(), &mine) != 0) return;
  if (::stat(path_.c_str(), &named) != 0) {
    if (errno == ENOENT) make_again();  // another error may pass, and the open file is as good as before
    return;
  }
  if (mine.st_dev == named.st_dev && mine.st_ino == named.st_ino) return;
  if (S_ISREG(named.st_mode)) return go_on_in_the_new_one();
  if (!std::exchange(replaced_by_no_file_, true))
    warn("was replaced by what is no file: its lines are written into none");
}

// Called when the open file has lost its name; it still has all of its lines.
void MetricsFile::make_again() {
  if (before_rename_) before_rename_();  // gives a better message if the folder is gone, too
  std::string text(static_cast<std::size_t>(std::max<off_t>(::lseek(file_.number(), 0, SEEK_END), 0)), '\0');
  text.resize(read_fully(file_.number(), std::as_writable_bytes(std::span(text)), 0).bytes);
  replace_file(path_, std::as_bytes(std::span(text)), before_rename_);
  file_ = open_to_append(path_);
  warn("was removed: it is there again, with all its lines");
}

void MetricsFile::go_on_in_the_new_one() {
  if (before_rename_) before_rename_();
  try {
    file_ = open_to_append(path_);
  } catch (const Error& error) {  // gone again, or not ours to write: the open file is as good as before
    if (!std::exchange(replaced_by_no_file_, true)) warn(fmt::format("was replaced by another file: {}", error.what()));
    return;
  }
  char last = '\n';
  const off_t end = ::lseek(file_.number(), 0, SEEK_END);
  if (end > 0 && ::pread(file_.number(), &last, 1, end - 1) == 1 && last != '\n') {
    append_record(file_, path_, std::as_bytes(std::span("\n", 1)));
  }
  warn("was replaced by another file, which the lines from here on are added to");
}

void MetricsFile::write(const Json& line) {
  stay_in_place();
  const std::string text = line.text(Json::Form::readable) + "\n";
  append_record(file_, path_, std::as_bytes(std::span(text)));
}

}  // namespace lockstep
