#pragma once

#include <sys/types.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/descriptor.h"

namespace lockstep {

// The place where a process runs, as it tells others.
struct ProcessPlace {
  std::array<char, 65> host{};  // ends with a zero
  pid_t process = 0;
};
ProcessPlace this_process();

// The process of another rank of this host, watched through pidfd_open(2): that tells at once and forever when the
// process has ended, even before it is waited for (a zombie), and never takes a later process of the same number for
// it. A process that ended before it could be watched counts as ended. If the system has no such call, processes never
// seem to end. Any thread.
class PeerProcess {
 public:
  explicit PeerProcess(const ProcessPlace& place);
  // For a rank that is a thread of this process: it ends when the process does.
  PeerProcess() = default;

  bool has_ended() const;
  // Returns whether has_ended() can ever be true.
  bool can_be_watched() const { return watched_.is_open() || gone_; }
  // Sends SIGKILL, unless it has ended.
  void kill() const;
  std::string text() const;  // for messages: "process 4711 on n1"

 private:
  ProcessPlace place_;
  Descriptor watched_;
  bool gone_ = false;  // the process had ended before it could be watched
};

using PeerProcesses = std::vector<std::shared_ptr<const PeerProcess>>;  // in the order of a group's ranks

}  // namespace lockstep
