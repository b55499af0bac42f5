#pragma once

#include <cstddef>
#include <string>

#include "base/descriptor.h"

namespace lockstep {

// A file that lies in memory and in no folder, for a library that writes to files only. It goes with the process,
// however that ends. Of one thread.
class CaptureFile {
 public:
  // name: by which lists of open files show it.
  explicit CaptureFile(const char* name);

  // By which this process can open it; "" where the system has no such files, or no /proc.
  const std::string& path() const { return path_; }
  // Its first kMostBytes.
  std::string text() const;
  // From here on it stays as it is: writing fails, also for those who have it open.
  void seal();

  static constexpr std::size_t kMostBytes = 256 << 10;

 private:
  Descriptor file_;
  std::string path_;
};

}  // namespace lockstep
