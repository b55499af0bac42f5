#pragma once

#include <span>
#include <string>
#include <vector>

namespace lockstep {

// A network interface of this host that is up and has an address.
struct NetworkInterface {
  std::string name;
  bool has_carrier = true;   // false: no cable, or nothing at its other end
  bool is_internal = false;  // a bridge that no hardware is connected to: docker0, virbr0
};

// The interfaces of this host, except loopback. root: "" on a real host; what is below its /sys decides which are
// internal.
std::vector<NetworkInterface> network_interfaces(const std::string& root);

// The names of those that lead to no other host. Open MPI 4 and 5 would use them like any other: where two hosts have
// one in a network of the same address (172.17.0.0/16 on each host with Docker), MPI hangs or ends when it first sends
// between them. Empty if these are all there are. Pure.
std::vector<std::string> dead_ends(std::span<const NetworkInterface> interfaces);

// A sentence to add to what MPI's silence may mean: which interfaces it may use and how to choose one; "" if there are
// not several that may lead to other hosts. Pure.
std::string interface_advice(std::span<const NetworkInterface> interfaces);

}  // namespace lockstep
