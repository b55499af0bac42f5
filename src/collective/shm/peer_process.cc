#include "collective/shm/peer_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "base/host_name.h"

namespace lockstep {

ProcessPlace this_process() {
  ProcessPlace place;
  const std::string host = host_name();
  std::ranges::copy_n(host.begin(), std::min(std::ssize(host), std::ssize(place.host) - 1), place.host.begin());
  place.process = getpid();
  return place;
}

PeerProcess::PeerProcess(const ProcessPlace& place)
    : place_(place), watched_(static_cast<int>(syscall(SYS_pidfd_open, place.process, 0))) {
  gone_ = !watched_.is_open() && errno == ESRCH;
}

bool PeerProcess::has_ended() const {
  if (!watched_.is_open()) return gone_;
  pollfd event{watched_.number(), POLLIN, 0};
  return poll(&event, 1, 0) == 1;
}

void PeerProcess::kill() const {
  if (watched_.is_open()) syscall(SYS_pidfd_send_signal, watched_.number(), SIGKILL, nullptr, 0);
}

std::string PeerProcess::text() const { return fmt::format("process {} on {}", place_.process, place_.host.data()); }

}  // namespace lockstep
