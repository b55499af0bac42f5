#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "base/descriptor.h"

namespace lockstep {

// Requirements on a file that is to be read.
struct FileRules {
  enum class Kind {
    regular,  // a file on a disk
    stream,   // also a pipe or a device
  };
  enum class Links { followed, refused };

  Kind kind = Kind::regular;
  Links links = Links::followed;  // a rule for the last part of the path only
  std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max();
};

// Limit on files that are read as a whole, even if their rules allow more: a larger file is the wrong one, or a trap.
inline constexpr std::int64_t kMaxWholeFileBytes = std::int64_t{1} << 30;

// A file that is open for reading. Opening never waits, neither for a writer of a pipe nor for a device.
//
// Errors name the path: missing_input if it does not exist, cannot be read or is of the wrong kind; internal if too
// many files are open; bad_data if it has more bytes than allowed. read_at() from any thread, the rest from one at a
// time.
class InputFile {
 public:
  explicit InputFile(const std::string& path, const FileRules& rules = {});
  // Returns nothing if there is no such name. A dangling link counts as a name: it throws.
  static std::optional<InputFile> if_there(const std::string& path, const FileRules& rules = {});

  const std::string& path() const { return path_; }
  // Status of the open file, whatever happens to the path afterwards.
  const struct stat& status() const { return status_; }
  std::int64_t bytes() const { return status_.st_size; }  // 0 for a stream

  // Both fill `into` and return the number of bytes, fewer only at the end of the file.
  std::size_t read(std::span<std::byte> into);  // the bytes after those read before
  std::size_t read_at(std::int64_t offset, std::span<std::byte> into) const;
  // Reads the rest of the file; of a stream, until all of its writers have closed it. Throws bad_data beyond max_bytes
  // or kMaxWholeFileBytes, and missing_input for a pipe to which nothing was written.
  std::string read_all();

 private:
  std::size_t checked(Transfer done) const;

  std::string path_;
  std::int64_t max_bytes_;
  Descriptor file_;
  struct stat status_ {};
};

// Returns InputFile(path, rules).read_all().
std::string read_file(const std::string& path, const FileRules& rules = {});

}  // namespace lockstep
