#include "collective/mpi/network_interfaces.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace lockstep {

TEST_CASE("interfaces without a carrier, and bridges inside the host, lead nowhere") {
  using Names = std::vector<std::string>;
  const NetworkInterface eth0{.name = "eth0"};
  const NetworkInterface unplugged{.name = "eno2", .has_carrier = false};
  const NetworkInterface docker0{.name = "docker0"};
  CHECK(dead_ends(std::vector{eth0}).empty());
  CHECK(dead_ends(std::vector{unplugged, eth0, docker0}) == Names{"eno2", "docker0"});
  // Where nothing else is left, the user's network is one that we do not understand.
  CHECK(dead_ends(std::vector{unplugged, docker0}).empty());
  CHECK(dead_ends({}).empty());
  // Open MPI takes eno2 for all names that begin like it.
  CHECK(dead_ends(std::vector{unplugged, docker0, NetworkInterface{.name = "eno2f1"}}) == Names{"docker0"});
}

TEST_CASE("bridges of containers and virtual machines are known by their names, those of a site are none of them") {
  for (const char* name : {"docker0", "virbr0", "br-3f2a11b0c4d5", "cni0"}) CHECK(is_internal_bridge(name));
  for (const char* name : {"br0", "br-lan", "br-3f2a11b0c4d", "bond0", "eth0"}) CHECK_FALSE(is_internal_bridge(name));
}

TEST_CASE("where MPI may use several interfaces, there is advice on how to choose") {
  const NetworkInterface eth0{.name = "eth0"};
  const NetworkInterface ib0{.name = "ib0"};
  const NetworkInterface unplugged{.name = "eno2", .has_carrier = false};
  CHECK(interface_advice(std::vector{eth0, unplugged}).empty());
  CHECK(interface_advice(std::vector{eth0, unplugged, ib0}).starts_with("MPI may use eth0, ib0 here; if one of them"));
}

TEST_CASE("this host's interfaces are listed once each, without loopback") {
  const auto interfaces = network_interfaces();
  for (const NetworkInterface& interface : interfaces) {
    CHECK(interface.name != "lo");
    CHECK(std::ranges::count(interfaces, interface.name, &NetworkInterface::name) == 1);
  }
}

}  // namespace lockstep
