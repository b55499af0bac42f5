#include "data/file_stamp.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/error.h"

namespace lockstep {
namespace {

std::string system_message(int error) { return std::generic_category().message(error); }

std::int64_t nanoseconds(const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

// Opened, not only looked at, so that a file nobody may read is found here. A pipe must not make us wait for a writer.
struct stat status_of(const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ExitCode::missing_input, fmt::format("cannot read '{}': {}", path, why));
  };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) refuse(system_message(errno));
  struct stat status {};
  const int failure = ::fstat(file, &status) != 0 ? errno : 0;
  ::close(file);
  if (failure != 0) refuse(system_message(failure));
  if (S_ISDIR(status.st_mode)) refuse("it is a folder, a file is needed");
  if (!S_ISREG(status.st_mode)) refuse("it is not a regular file");
  return status;
}

}  // namespace

FileStamp::FileStamp(const std::string& path) : path_(path) {
  const struct stat status = status_of(path);
  bytes_ = status.st_size;
  modified_ns_ = nanoseconds(status.st_mtim);
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

void FileStamp::check_unchanged() const {
  struct stat status {};
  const auto refuse = [&](const std::string& what) {
    throw Error(ExitCode::bad_data,
                fmt::format("'{}' {} while it was being read; leave the data alone as long as a job uses them, and "
                            "start again",
                            path_, what));
  };
  if (::stat(path_.c_str(), &status) != 0) refuse(fmt::format("went away ({})", system_message(errno)));
  if (status.st_dev != device_ || status.st_ino != inode_) refuse("was replaced by another file");
  if (status.st_size != bytes_) refuse(fmt::format("changed its size from {} to {} bytes", bytes_, status.st_size));
  if (nanoseconds(status.st_mtim) != modified_ns_) refuse("was written to");
}

}  // namespace lockstep
