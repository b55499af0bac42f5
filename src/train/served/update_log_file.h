#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/descriptor.h"

namespace lockstep {

// The file of --ps_log. Lines are collected, and written together when there are many or when a second has passed, so
// that whoever reads it meanwhile finds whole lines, and is a second behind. One thread at a time. Everything throws
// Error(cannot_write) that names the file.
class UpdateLogFile {
 public:
  // Makes the file, in place of an earlier one, and its folder.
  explicit UpdateLogFile(const std::string& path);

  void add(std::string_view line);  // which ends with a line feed
  // Writes the collected lines if a second has passed, for when no further line comes.
  void write_if_due();
  // Writes what is left; it is durable on return. Nothing may be added after this.
  void finish();

 private:
  void write();

  std::string path_;
  Descriptor file_;
  std::string lines_;  // collected
  Stopwatch since_written_;
};

}  // namespace lockstep
