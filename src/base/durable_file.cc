#include "base/durable_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/input_file.h"
#include "base/printable.h"

namespace lockstep {
namespace {

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

constexpr std::size_t kCopied = 4 << 20;  // bytes per piece

// Returns false if the file cannot be linked.
bool link_file(const std::string& from, const std::string& to, const std::function<void()>& before_rename) {
  const std::string temporary = to + std::string(kTemporarySuffix);
  if (::unlink(temporary.c_str()) != 0 && errno != ENOENT) throw_cannot_write("remove the old", temporary, errno);
  if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, temporary.c_str(), AT_SYMLINK_FOLLOW) != 0) return false;
  if (before_rename) before_rename();
  if (::rename(temporary.c_str(), to.c_str()) != 0) throw_cannot_write("rename the finished file to", to, errno);
  ::unlink(temporary.c_str());  // rename() leaves it if `to` was the same file already
  return true;
}

void copy_file(const std::string& from, const std::string& to, const std::function<void()>& before_rename) {
  InputFile source(from);
  TemporaryFile file(to);
  std::vector<std::byte> piece(kCopied);
  while (const std::size_t bytes = source.read(piece)) file.write(std::span(piece).first(bytes));
  file.finish();
  if (before_rename) before_rename();
  file.move_to_place();
}

}  // namespace

void replace_file(const std::string& path, std::span<const std::byte> bytes, const std::function<void()>& before_rename,
                  std::string_view flag) {
  TemporaryFile file(path, flag);
  file.write(bytes);
  file.finish();
  if (before_rename) before_rename();
  file.move_to_place();
  sync_folder(folder_of(path), flag);
}

void duplicate_file(const std::string& from, const std::string& to, const std::function<void()>& before_rename) {
  if (!link_file(from, to, before_rename)) copy_file(from, to, before_rename);
  sync_folder(folder_of(to));
}

void check_file_place(const std::string& path, const std::string& named) {
  using std::filesystem::file_type;
  std::error_code unknown;
  const file_type type = std::filesystem::symlink_status(path, unknown).type();
  if (type == file_type::regular || type == file_type::not_found || type == file_type::none) return;
  const char* const what = type == file_type::directory ? "a folder"
                           : type == file_type::symlink ? "a link"
                                                        : "no regular file";
  throw Error(ExitCode::usage, fmt::format("{}: it is {}, and a file is needed", escaped(named), what),
              Scope::every_rank);
}

void sync_folder(const std::string& folder, std::string_view flag) {
  const Descriptor opened = open_descriptor(folder, O_RDONLY | O_DIRECTORY);
  if (!opened.is_open()) throw_cannot_write("open the folder", folder, errno, flag);
  // Some file systems do not support fsync of a folder, and report EINVAL: nothing more can be done on them.
  if (uninterrupted([&] { return ::fsync(opened.number()); }) != 0 && errno != EINVAL) {
    throw_cannot_write("flush (fsync) the folder", folder, errno, flag);
  }
}

}  // namespace lockstep
