#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/descriptor.h"
#include "lease/record.h"

namespace lockstep {

// lease.json of one folder and the system calls of one process on it, without any rule about who may hold it.
//
// The file is never seen half-written: it is completed under a name of its own, lease.json.TOKEN.tmp, and linked or
// renamed to its place. (Only if the file system has no hard links is it opened with O_EXCL and then written; a reader
// may find it empty.) Its owner writes into the open file afterwards: that needs no space on a full disk, and does not
// touch another file that took its place.
//
// Owns the descriptor and leaves the file where it is. path(), text() and owner() from any thread; the rest from one at
// a time.
class LeaseFile {
 public:
  LeaseFile(std::string folder, LeaseRecord mine);
  LeaseFile(const LeaseFile&) = delete;
  LeaseFile& operator=(const LeaseFile&) = delete;

  const std::string& path() const { return path_; }

  // Returns the file's contents; nothing if there is no such file. Throws Error(cannot_write) if it cannot be read.
  std::optional<std::string> text() const;

  // Creates the file if there is none. Of several processes one succeeds. Throws Error(cannot_write).
  bool create();
  // Replaces a file whose text is `judged` with ours; returns false if the text has changed, or while another process
  // of this host replaces or removes it. Processes of other hosts can replace ours within moments: settle, and look
  // again. Throws Error(cannot_write).
  bool replace(const std::string& judged);

  enum class Owner { mine, other, nobody, unclear };
  // Owner by the token in the file at the path. unclear: the file cannot be read at the moment, or makes no sense.
  Owner owner() const;

  // Writes our record with this heartbeat and step into our file. Returns the system's error, 0 for none.
  int beat(std::int64_t heartbeat, std::int64_t step);

  // Removes the file if it is ours.
  void remove();
  // Removes temporary files that are over an hour old, or whose process is known to be gone.
  void remove_leftovers() const;

 private:
  void write_temporary();
  void drop_temporary();
  bool create_in_place();
  int write_record();
  [[noreturn]] void cannot_write(const std::string& path, int failure) const;

  std::string folder_;
  std::string path_;
  std::string temporary_;
  LeaseRecord mine_;
  Descriptor file_;
};

// The holder that a file's text names. For a text that is not a lease: a holder without a process (pid 0), whose token
// contains the text, so that another text is another holder.
LeaseRecord holder_of(const std::string& text);

}  // namespace lockstep
