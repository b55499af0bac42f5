#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// One line of /proc/PID/net/tcp or tcp6.
struct TcpConnection {
  std::string local;  // this end's address, 4 bytes in network order; 16 if it is one of IPv6
  bool established = false;
  std::uint64_t inode = 0;
};

// Parses such a file; lines of another form are ignored. Pure.
std::vector<TcpConnection> parse_tcp_connections(std::string_view table);

// The names of the interfaces over which this process has connections, except loopback, in the order of the host's
// list; empty if there are none, as with a network that is not TCP. Any thread.
std::vector<std::string> connected_interfaces();

}  // namespace lockstep
