#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace lockstep {

inline constexpr std::string_view kTemporarySuffix = ".tmp";     // after the name of a file that is being replaced
inline constexpr std::string_view kOutputFlag = "--output_dir";  // by which people say where a run writes

// A file that is being written under PATH.tmp, until all of it is there. Unless it was moved to its place it is
// removed, which frees its space on a full disk. One thread at a time. Throws Error(cannot_write) that names the path,
// the call that failed, the reason and the cure. flag: what the cure tells people to give another value of.
//
// A writer that was stopped for long may wake up when another one has taken its place, and its name. So each writes to
// a file it made itself, and keeps a second descriptor of it, by which it knows whether the name is still that file's.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& path, std::string_view flag = kOutputFlag);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // At the end of what was written so.
  void write(std::span<const std::byte> bytes) const;
  // At a place of its own.
  void write_at(std::int64_t offset, std::span<const std::byte> bytes) const;
  // Makes the file this long, and the disk keep room for all of it: later writes within find it.
  void reserve(std::int64_t bytes) const;
  // Has the system begin to bring what was written to the disk, without waiting, so that finish() finds little left. A
  // hint: an error is finish()'s to report.
  void start_flush() const;
  // Makes the bytes durable and ends the writing. Some file systems report a full disk only now.
  void finish();
  // Throws if PATH.tmp is not this file any more.
  void check_mine() const;
  // Gives it its name, over an older file. REQUIRES: finish(). Durable after sync_folder().
  void move_to_place();

  const std::string& place() const { return place_; }  // PATH

 private:
  bool is_mine() const;
  [[noreturn]] void fail_to(const std::string& what, const std::string& path, int error) const;

  std::string place_;
  std::string path_;
  std::string flag_;
  Descriptor file_;
  Descriptor same_file_;
  bool moved_ = false;
};

// Throws the Error(cannot_write) of a call that failed. what: what was tried, "write to", "rename to".
[[noreturn]] void throw_cannot_write(const std::string& what, const std::string& path, int error,
                                     std::string_view flag = kOutputFlag);

}  // namespace lockstep
