#include "data/file_stamp.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/error.h"

namespace lockstep {
namespace {

std::int64_t nanoseconds(const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

}  // namespace

void FileStamp::check_unchanged() const {
  struct stat status {};
  const auto refuse = [&](const std::string& what) {
    throw Error(ExitCode::bad_data,
                fmt::format("'{}' {} while it was being read; leave the data alone as long as a job uses them, and "
                            "start again",
                            path_, what));
  };
  if (::stat(path_.c_str(), &status) != 0) refuse(fmt::format("went away ({})", system_message(errno)));
  if (status.st_dev != status_.st_dev || status.st_ino != status_.st_ino) refuse("was replaced by another file");
  if (status.st_size != bytes()) refuse(fmt::format("changed its size from {} to {} bytes", bytes(), status.st_size));
  if (nanoseconds(status.st_mtim) != nanoseconds(status_.st_mtim)) refuse("was written to");
}

}  // namespace lockstep
