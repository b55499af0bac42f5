#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace lockstep {

inline constexpr std::string_view kTemporarySuffix = ".tmp";     // appended to the name of a file being replaced
inline constexpr std::string_view kOutputFlag = "--output_dir";  // the flag for the place where a run writes

// A file that is written as PATH.tmp until it is complete. The destructor removes it unless it was moved to its place;
// that frees its space on a full disk. One thread at a time. Throws Error(cannot_write), or Error(internal) for too
// many open files, that names the path, the call that failed, the reason and the cure. flag: the flag that the cure
// advises to change.
//
// A writer that was stopped for long may wake up when another one has taken its place, and its name. So each writes to
// a file it made itself, and keeps a second descriptor of it to tell whether the name still belongs to that file.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& path, std::string_view flag = kOutputFlag);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Appends to what was written with write().
  void write(std::span<const std::byte> bytes) const;
  // Writes at an offset.
  void write_at(std::int64_t offset, std::span<const std::byte> bytes) const;
  // Gives the file this length and reserves disk space for all of it if the file system can, so that later writes
  // within it have room.
  void reserve(std::int64_t bytes) const;
  // Makes the system begin to write to the disk, without waiting, so that finish() has little left to do. A hint:
  // finish() reports errors.
  void start_flush() const;
  // Makes the bytes durable and ends the writing. Some file systems report a full disk only now.
  void finish();
  // Throws Error(cannot_write) if PATH.tmp is no longer this file.
  void check_mine() const;
  // Renames it to PATH, over an older file. Throws as check_mine() does. REQUIRES: finish(). Durable after
  // sync_folder().
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

// Throws the Error(cannot_write) of a call that failed, Error(internal) for too many open files. what: the attempt,
// "write to", "rename to".
[[noreturn]] void throw_cannot_write(const std::string& what, const std::string& path, int error,
                                     std::string_view flag = kOutputFlag);

}  // namespace lockstep
