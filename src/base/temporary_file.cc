#include "base/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/error.h"
#include "base/resource_limits.h"

namespace lockstep {
namespace {

constexpr std::size_t kPiece = 4 << 20;  // bytes of a write: a kill or a full disk is met after one, not after all

std::string cure_of(int error, std::string_view flag) {
  const std::string elsewhere = fmt::format(", or give another {}", flag);
  switch (error) {
    case ENOSPC:
      return "make room on that disk and run again";
    case EDQUOT:
      return "your quota there is used up: remove files of yours, or have it raised, and run again";
    case EROFS:
      return "the file system is mounted read-only; a disk with errors is remounted so, see dmesg. Mount it writable" +
             elsewhere;
    case EACCES:
    case EPERM:
      return "you have no right to write there; change the folder's permissions" + elsewhere;
    case EIO:
      return "the disk, or the network to it, fails: look at dmesg or ask its administrator" + elsewhere;
    case EFBIG:
      return "the file is larger than ulimit -f or that file system allows; raise the limit" + elsewhere;
    case ENOENT:
    case ENOTDIR:
    case ESTALE:
      return "the folder is not there; make it or mount it again" + elsewhere;
    default:
      return "fix that and run again" + elsewhere;
  }
}

}  // namespace

void throw_cannot_write(const std::string& what, const std::string& path, int error, std::string_view flag) {
  throw Error(code_of_failure(error, ExitCode::cannot_write),
              fmt::format("cannot {} '{}': {}", what, path, failure_text(error, cure_of(error, flag))));
}

TemporaryFile::TemporaryFile(const std::string& path, std::string_view flag)
    : place_(path), path_(path + std::string(kTemporarySuffix)), flag_(flag) {
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) fail_to("remove the old", path_, errno);
  constexpr mode_t kAsUmaskSays = 0666;
  file_ = open_descriptor(path_, O_WRONLY | O_CREAT | O_EXCL, kAsUmaskSays);
  if (!file_.is_open()) fail_to("create", path_, errno);
  same_file_ = open_descriptor(path_, O_PATH);
  if (const int error = errno; !same_file_.is_open()) {
    ::unlink(path_.c_str());
    fail_to("open", path_, error);
  }
}

TemporaryFile::~TemporaryFile() {
  if (!moved_ && is_mine()) ::unlink(path_.c_str());
}

void TemporaryFile::write(std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), kPiece));
    if (const int error = write_fully(file_.number(), piece).error) fail_to("write to", path_, error);
    bytes = bytes.subspan(piece.size());
  }
}

void TemporaryFile::write_at(std::int64_t offset, std::span<const std::byte> bytes) const {
  if (const int error = write_fully(file_.number(), bytes, offset).error) fail_to("write to", path_, error);
}

void TemporaryFile::reserve(std::int64_t bytes) const {
  int error = EINTR;
  while (error == EINTR) error = ::posix_fallocate(file_.number(), 0, bytes);
  if (error == EOPNOTSUPP || error == EINVAL) error = 0;  // some file systems find a full disk only at a write
  if (error == 0 && ::ftruncate(file_.number(), bytes) != 0) error = errno;
  if (error != 0) fail_to(fmt::format("reserve {} bytes for", bytes), path_, error);
}

void TemporaryFile::start_flush() const { ::sync_file_range(file_.number(), 0, 0, SYNC_FILE_RANGE_WRITE); }

void TemporaryFile::finish() {
  if (uninterrupted([this] { return ::fsync(file_.number()); }) != 0) fail_to("flush (fsync)", path_, errno);
  if (const int error = file_.close()) fail_to("close", path_, error);
}

void TemporaryFile::check_mine() const {
  if (is_mine()) return;
  throw Error(ExitCode::cannot_write,
              fmt::format("cannot find the finished file '{}': it was removed or replaced; does another program write "
                          "there at the same time? Give each a {} of its own",
                          path_, flag_));
}

void TemporaryFile::move_to_place() {
  check_mine();
  if (::rename(path_.c_str(), place_.c_str()) != 0) fail_to("rename the finished file to", place_, errno);
  moved_ = true;
}

void TemporaryFile::fail_to(const std::string& what, const std::string& path, int error) const {
  throw_cannot_write(what, path, error, flag_);
}

bool TemporaryFile::is_mine() const {
  struct stat mine {};
  struct stat named {};
  return ::fstat(same_file_.number(), &mine) == 0 && ::lstat(path_.c_str(), &named) == 0 &&
         mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
}

}  // namespace lockstep
