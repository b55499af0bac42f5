#pragma once

#include <sys/types.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/descriptor.h"

namespace lockstep {

// Where a process runs, as it tells others.
struct ProcessPlace {
  std::array<char, 65> host{};  // ends with a zero
  pid_t process = 0;
};
ProcessPlace this_process();

// The process of another rank of this host, watched through pidfd_open(2): it tells at once and for ever when the
// process has ended, also while nobody has waited for it (a zombie), and is never taken for a later process of the same
// number. One that ended before it could be watched has ended, too. Where the system has no such call, processes never
// seem to end. Any thread.
class PeerProcess {
 public:
  explicit PeerProcess(const ProcessPlace& place);
  // A thread of this process: ends when it does.
  PeerProcess() = default;

  bool has_ended() const;
  std::string text() const;  // "process 4711 on n1"

 private:
  ProcessPlace place_;
  Descriptor watched_;
  bool gone_ = false;  // there was no such process any more
};

using PeerProcesses = std::vector<std::shared_ptr<const PeerProcess>>;  // in the order of a group's ranks

}  // namespace lockstep
