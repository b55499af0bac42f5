#pragma once

#include <cstdint>
#include <string>

namespace lockstep {

// What a file was when we began to read it: a reader that comes back to it later, or reads it for long, asks whether it
// still is that file. Any thread may ask.
class FileStamp {
 public:
  // Throws Error(missing_input) if there is no such file, or it is not a regular one.
  explicit FileStamp(const std::string& path);

  const std::string& path() const { return path_; }
  std::int64_t bytes() const { return bytes_; }

  // Throws Error(bad_data) if the file at this path is another one, or was written to or removed.
  void check_unchanged() const;

 private:
  std::string path_;
  std::int64_t bytes_ = 0;
  std::int64_t modified_ns_ = 0;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
};

}  // namespace lockstep
