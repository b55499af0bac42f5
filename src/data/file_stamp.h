#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "base/input_file.h"

namespace lockstep {

// Identity of a file when we began to read it. A reader that comes back later, or reads for a long time, checks that it
// is still that file. Any thread may call.
class FileStamp {
 public:
  // Throws Error(missing_input) if there is no such file, it may not be read, or it is not a regular one.
  explicit FileStamp(const std::string& path) : FileStamp(InputFile(path)) {}
  explicit FileStamp(const InputFile& file) : path_(file.path()), status_(file.status()) {}

  const std::string& path() const { return path_; }
  std::int64_t bytes() const { return status_.st_size; }

  // Throws Error(bad_data) if the file at this path is another one, or was written to or removed.
  void check_unchanged() const;

 private:
  std::string path_;
  struct stat status_;
};

}  // namespace lockstep
