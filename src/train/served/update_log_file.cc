#include "train/served/update_log_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <span>
#include <system_error>

#include "base/durable_file.h"
#include "base/error.h"
#include "base/temporary_file.h"
#include "train/output/append_record.h"

namespace lockstep {
namespace {

constexpr std::size_t kMostCollected = 64 << 10;  // bytes
constexpr double kMostSeconds = 1;

void make_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (!failure) return;
  throw Error(ExitCode::cannot_write, fmt::format("cannot make the folder {} for {}: {}; give another --output_dir",
                                                  folder, path, failure.message()));
}

}  // namespace

UpdateLogFile::UpdateLogFile(const std::string& path) : path_(path) {
  make_folder_of(path);
  replace_file(path, {});
  file_ = open_to_append(path);
}

void UpdateLogFile::add(std::string_view line) {
  lines_ += line;
  if (lines_.size() >= kMostCollected) write();
  write_if_due();
}

void UpdateLogFile::write_if_due() {
  if (!lines_.empty() && since_written_.seconds() >= kMostSeconds) write();
}

void UpdateLogFile::write() {
  append_record(file_, path_, std::as_bytes(std::span(lines_)));
  lines_.clear();
  since_written_.restart();
}

void UpdateLogFile::finish() {
  if (!lines_.empty()) write();
  if (uninterrupted([this] { return ::fsync(file_.number()); }) != 0) throw_cannot_write("write to", path_, errno);
  if (const int error = file_.close(); error != 0) throw_cannot_write("write to", path_, error);
}

}  // namespace lockstep
