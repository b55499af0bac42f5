#include "base/durable_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/resource_limits.h"

namespace lockstep {
namespace {

constexpr std::size_t kPiece = 4 << 20;  // a kill or a full disk is met after a piece, not after gigabytes

std::string cure_of(int error) {
  switch (error) {
    case ENOSPC:
      return "make room on that disk and run again";
    case EDQUOT:
      return "your quota there is used up: remove files of yours, or have it raised, and run again";
    case EROFS:
      return "the file system is mounted read-only; a disk with errors is remounted so, see dmesg. Mount it "
             "writable, or give another --output_dir";
    case EACCES:
    case EPERM:
      return "you have no right to write there; change the folder's permissions, or give another --output_dir";
    case EIO:
      return "the disk, or the network to it, fails: look at dmesg or ask its administrator, or give another "
             "--output_dir";
    case EFBIG:
      return "the file is larger than ulimit -f or that file system allows; raise the limit, or give another "
             "--output_dir";
    case ENOENT:
    case ENOTDIR:
    case ESTALE:
      return "the folder is gone; make or mount it again, or give another --output_dir";
    default:
      return "fix that and run again, or give another --output_dir";
  }
}

// What was tried: "write to", "rename to".
[[noreturn]] void cannot(const std::string& what, const std::string& path, int error) {
  throw Error(code_of_failure(error, ExitCode::cannot_write),
              fmt::format("cannot {} '{}': {}", what, path, failure_text(error, cure_of(error))));
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// A file that is being written under another name. Unless it was moved to its place it is removed.
//
// A writer that was stopped for long may wake up when another one has taken its place, and its name. So each writes to
// a file it made itself, and keeps a second descriptor of it, by which it knows whether the name is still that file's.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {
    if (::unlink(path_.c_str()) != 0 && errno != ENOENT) cannot("remove the old", path_, errno);
    constexpr mode_t kAsUmaskSays = 0666;
    file_ = open_descriptor(path_, O_WRONLY | O_CREAT | O_EXCL, kAsUmaskSays);
    if (!file_.is_open()) cannot("create", path_, errno);
    same_file_ = open_descriptor(path_, O_PATH);
    if (const int error = errno; !same_file_.is_open()) {
      ::unlink(path_.c_str());
      cannot("open", path_, error);
    }
  }
  ~TemporaryFile() {
    if (!moved_ && is_mine()) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
      const auto piece = bytes.first(std::min(bytes.size(), kPiece));
      if (const int error = write_fully(file_.number(), piece).error) cannot("write to", path_, error);
      bytes = bytes.subspan(piece.size());
    }
  }

  // Some file systems report a full disk only now.
  void finish() {
    if (uninterrupted([this] { return ::fsync(file_.number()); }) != 0) cannot("flush (fsync)", path_, errno);
    if (const int error = file_.close()) cannot("close", path_, error);
  }

  void move_to(const std::string& place) {
    if (!is_mine()) cannot("find the finished file", path_, ENOENT);
    if (::rename(path_.c_str(), place.c_str()) != 0) cannot("rename the finished file to", place, errno);
    moved_ = true;
  }

 private:
  bool is_mine() const {
    struct stat mine {};
    struct stat named {};
    return ::fstat(same_file_.number(), &mine) == 0 && ::lstat(path_.c_str(), &named) == 0 &&
           mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
  }

  std::string path_;
  Descriptor file_;
  Descriptor same_file_;
  bool moved_ = false;
};

// Whether the file system could do it.
bool link_file(const std::string& from, const std::string& to, const std::function<void()>& before_rename) {
  const std::string temporary = to + std::string(kTemporarySuffix);
  if (::unlink(temporary.c_str()) != 0 && errno != ENOENT) cannot("remove the old", temporary, errno);
  if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, temporary.c_str(), AT_SYMLINK_FOLLOW) != 0) return false;
  if (before_rename) before_rename();
  if (::rename(temporary.c_str(), to.c_str()) != 0) cannot("rename the finished file to", to, errno);
  ::unlink(temporary.c_str());  // still there where `to` was that very file already
  return true;
}

void copy_file(const std::string& from, const std::string& to, const std::function<void()>& before_rename) {
  InputFile source(from);
  TemporaryFile file(to + std::string(kTemporarySuffix));
  std::vector<std::byte> piece(kPiece);
  while (const std::size_t bytes = source.read(piece)) file.write(std::span(piece).first(bytes));
  file.finish();
  if (before_rename) before_rename();
  file.move_to(to);
}

}  // namespace

void replace_file(const std::string& path, std::span<const std::byte> bytes,
                  const std::function<void()>& before_rename) {
  TemporaryFile file(path + std::string(kTemporarySuffix));
  file.write(bytes);
  file.finish();
  if (before_rename) before_rename();
  file.move_to(path);
  sync_folder(folder_of(path));
}

void duplicate_file(const std::string& from, const std::string& to, const std::function<void()>& before_rename) {
  if (!link_file(from, to, before_rename)) copy_file(from, to, before_rename);
  sync_folder(folder_of(to));
}

void sync_folder(const std::string& folder) {
  const Descriptor opened = open_descriptor(folder, O_RDONLY | O_DIRECTORY);
  if (!opened.is_open()) cannot("open the folder", folder, errno);
  // Some network file systems have no such call, because they make renames durable by themselves.
  if (uninterrupted([&] { return ::fsync(opened.number()); }) != 0 && errno != EINVAL) {
    cannot("flush (fsync) the folder", folder, errno);
  }
}

}  // namespace lockstep
