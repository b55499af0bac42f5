#include "collective/mpi/network_interfaces.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "support/temporary_folder.h"

namespace lockstep {

TEST_CASE("interfaces without a carrier, and bridges inside the host, lead nowhere") {
  using Names = std::vector<std::string>;
  const NetworkInterface eth0{.name = "eth0"};
  const NetworkInterface unplugged{.name = "eno2", .has_carrier = false};
  const NetworkInterface docker0{.name = "docker0", .has_carrier = true, .is_internal = true};
  CHECK(dead_ends(std::vector{eth0}).empty());
  CHECK(dead_ends(std::vector{unplugged, eth0, docker0}) == Names{"eno2", "docker0"});
  // Where nothing else is left, the user's network is one that we do not understand.
  CHECK(dead_ends(std::vector{unplugged, docker0}).empty());
  CHECK(dead_ends({}).empty());
}

TEST_CASE("where MPI may use several interfaces, there is advice on how to choose") {
  const NetworkInterface eth0{.name = "eth0"};
  const NetworkInterface ib0{.name = "ib0"};
  const NetworkInterface unplugged{.name = "eno2", .has_carrier = false};
  CHECK(interface_advice(std::vector{eth0, unplugged}).empty());
  CHECK(interface_advice(std::vector{eth0, unplugged, ib0}).starts_with("MPI may use eth0, ib0 here; if one of them"));
}

TEST_CASE("this host's interfaces are listed once each, without loopback") {
  const auto interfaces = network_interfaces("");
  for (const NetworkInterface& interface : interfaces) {
    CHECK(interface.name != "lo");
    CHECK(std::ranges::count(interfaces, interface.name, &NetworkInterface::name) == 1);
  }
}

TEST_CASE("a bridge is internal unless one of its ports leads out of the host") {
  const auto interfaces = network_interfaces("");
  if (interfaces.empty()) return;  // no network here
  const std::string name = interfaces.front().name;
  const TemporaryFolder root;
  const auto folder = std::filesystem::path(root.path()) / "sys/class/net";
  const auto is_internal = [&] { return network_interfaces(root.path()).front().is_internal; };
  CHECK_FALSE(is_internal());  // no bridge
  std::filesystem::create_directories(folder / name / "bridge");
  CHECK(is_internal());
  std::filesystem::create_directories(folder / name / "brif/veth1");
  std::filesystem::create_directories(folder / "veth1");
  CHECK(is_internal());
  std::filesystem::create_directories(folder / name / "brif/bond0");
  std::filesystem::create_directories(folder / "bond0/lower_eth1");
  CHECK_FALSE(is_internal());
}

}  // namespace lockstep
