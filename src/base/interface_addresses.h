#pragma once

#include <string>
#include <vector>

namespace lockstep {

// An address of a network interface of this host.
struct InterfaceAddress {
  std::string interface;
  std::string bytes;         // in network order: 4, or 16 if it is one of IPv6
  bool is_up = false;        // the interface
  bool has_carrier = false;  // false: no cable, or nothing at its other end

  // An address that IPv6 gives to each interface by itself, good for one network segment.
  bool is_link_local() const;
  // As numbers: "10.1.0.7".
  std::string text() const;
};

// The addresses of all interfaces except loopback; empty if the system does not tell. Any thread.
std::vector<InterfaceAddress> interface_addresses();

}  // namespace lockstep
