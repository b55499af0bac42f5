#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// A network interface of this host that is up and has an address.
struct NetworkInterface {
  std::string name;
  bool has_carrier = true;  // false: no cable, or nothing at its other end
};

// The interfaces of this host, except loopback and those with nothing but the address that IPv6 gives to each.
std::vector<NetworkInterface> network_interfaces();

// Returns whether this is the name of a bridge that containers or virtual machines of one host have to themselves:
// docker0, virbr0, br-3f2a11b0c4d5. Pure.
bool is_internal_bridge(std::string_view name);

// The names of those that lead to no other host: without a carrier, or internal bridges. Open MPI 4 and 5 would use
// them like any other: where two hosts have one in a network of the same address (172.17.0.0/16 on each host with
// Docker), MPI hangs or ends when it first sends between them. Empty if these are all there are. Left out are names
// that another interface's name begins with, because Open MPI would exclude that one, too (eth1 and eth10). Pure.
std::vector<std::string> dead_ends(std::span<const NetworkInterface> interfaces);

// A sentence to add to what MPI's silence may mean: which interfaces it may use and how to choose one; "" if there are
// not several that may lead to other hosts. Pure.
std::string interface_advice(std::span<const NetworkInterface> interfaces);

}  // namespace lockstep
