#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/descriptor.h"
#include "lease/record.h"

namespace lockstep {

// The file lease.json of a folder, as one process reads and writes it; lease/rules.h decides who may hold it.
//
// A new file appears complete: it is written as lease.json.TOKEN.tmp, then linked or renamed into place. (If the file
// system has no hard links, create() opens it with O_EXCL and then writes it, so a reader may find it empty.) Its owner
// writes into the open file afterwards: that needs no space on a full disk, and does not touch another file that took
// its place.
//
// The destructor closes the descriptor and leaves the file in place. path(), text() and owner() may be called from any
// thread, the rest from one thread at a time.
class LeaseFile {
 public:
  LeaseFile(std::string folder, LeaseRecord mine);
  LeaseFile(const LeaseFile&) = delete;
  LeaseFile& operator=(const LeaseFile&) = delete;

  const std::string& path() const { return path_; }

  // Returns the file's contents; nothing if there is no such file. Throws Error(cannot_write) if it cannot be read.
  std::optional<std::string> text() const;

  // Creates the file if there is none. Returns whether it did: if several processes try, true in one of them. Throws
  // Error(cannot_write).
  bool create();
  // Replaces a file whose text is `judged` with ours; returns false if the text has changed, or while another process
  // of this host replaces or removes it. A process of another host may still replace ours a moment later: wait that
  // long, then ask owner(). Throws Error(cannot_write).
  bool replace(const std::string& judged);

  enum class Owner { mine, other, nobody, unclear };
  // The owner, by the token that is now in the file. unclear: the file cannot be read at the moment, or makes no sense.
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
