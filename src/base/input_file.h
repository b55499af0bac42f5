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

// What is accepted at the path of a file that is read.
struct FileRules {
  enum class Kind {
    regular,  // a file on a disk
    stream,   // also a pipe or a device
  };
  enum class Links { followed, refused };

  Kind kind = Kind::regular;
  Links links = Links::followed;  // of the path's last part
  std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max();
};

// Of a file that is read as a whole, where its rules allow as many: what is larger is another file, or a trap.
inline constexpr std::int64_t kMaxWholeFileBytes = std::int64_t{1} << 30;

// A file that is open for reading. Opening never waits: not for a writer of a pipe, not for a device.
//
// Errors name the path: missing_input if it is not there, may not be read or is not of the kind; bad_data if it has
// more bytes than allowed. read_at() from any thread, the rest from one at a time.
class InputFile {
 public:
  explicit InputFile(const std::string& path, const FileRules& rules = {});
  // None if there is nothing of that name. A link to nothing is something: it throws.
  static std::optional<InputFile> if_there(const std::string& path, const FileRules& rules = {});

  const std::string& path() const { return path_; }
  // Of the open file, whatever happens to the path afterwards.
  const struct stat& status() const { return status_; }
  std::int64_t bytes() const { return status_.st_size; }  // 0 of a stream

  // Both fill `into`; they return how many bytes, fewer only at the end of the file.
  std::size_t read(std::span<std::byte> into);  // what follows the bytes read before
  std::size_t read_at(std::int64_t offset, std::span<std::byte> into) const;
  // What follows the bytes read before, to the end; of a stream, what its writers write until all of them have closed
  // it. Throws bad_data beyond max_bytes or kMaxWholeFileBytes, and missing_input for a pipe to which nobody writes.
  std::string read_all();

 private:
  std::size_t checked(Transfer done) const;

  std::string path_;
  std::int64_t max_bytes_;
  Descriptor file_;
  struct stat status_ {};
};

// InputFile(path, rules).read_all().
std::string read_file(const std::string& path, const FileRules& rules = {});

}  // namespace lockstep
