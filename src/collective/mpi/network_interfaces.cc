#include "collective/mpi/network_interfaces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// Calls use(name) for each entry of the folder until it returns true; returns whether it has.
template <class Use>
bool any_entry(const fs::path& folder, Use use) {
  std::error_code ignored;  // a folder that cannot be read has no entries
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (use(entry.path().filename().string())) return true;
  }
  return false;
}

// A port that is hardware, or stands on another interface (a bond, a VLAN), leads out of the host.
bool leads_out(const fs::path& port) {
  return any_entry(port, [](const std::string& name) { return name == "device" || name.starts_with("lower_"); });
}

bool is_internal_bridge(const std::string& root, const std::string& name) {
  const fs::path interfaces = root + "/sys/class/net";
  std::error_code ignored;
  if (!fs::exists(interfaces / name / "bridge", ignored)) return false;
  return !any_entry(interfaces / name / "brif", [&](const std::string& port) { return leads_out(interfaces / port); });
}

// An address of IPv6 that every interface has by itself tells nothing.
bool is_link_local(const sockaddr& address) {
  sockaddr_in6 v6{};
  std::memcpy(&v6, &address, sizeof v6);
  return IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr);
}

bool counts(const ifaddrs& interface) {
  if (interface.ifa_addr == nullptr || (interface.ifa_flags & IFF_LOOPBACK) != 0) return false;
  if ((interface.ifa_flags & IFF_UP) == 0) return false;
  const int family = interface.ifa_addr->sa_family;
  return family == AF_INET || (family == AF_INET6 && !is_link_local(*interface.ifa_addr));
}

bool is_dead_end(const NetworkInterface& interface) { return !interface.has_carrier || interface.is_internal; }

}  // namespace

std::vector<NetworkInterface> network_interfaces(const std::string& root) {
  std::vector<NetworkInterface> interfaces;
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return interfaces;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(first, ::freeifaddrs);
  for (const ifaddrs* address = first; address != nullptr; address = address->ifa_next) {
    if (!counts(*address)) continue;
    const std::string name = address->ifa_name;
    if (std::ranges::find(interfaces, name, &NetworkInterface::name) != interfaces.end()) continue;
    interfaces.push_back({.name = name,
                          .has_carrier = (address->ifa_flags & IFF_RUNNING) != 0,
                          .is_internal = is_internal_bridge(root, name)});
  }
  return interfaces;
}

std::vector<std::string> dead_ends(std::span<const NetworkInterface> interfaces) {
  std::vector<std::string> names;
  if (std::ranges::all_of(interfaces, is_dead_end)) return names;
  for (const NetworkInterface& interface : interfaces) {
    if (is_dead_end(interface)) names.push_back(interface.name);
  }
  return names;
}

std::string interface_advice(std::span<const NetworkInterface> interfaces) {
  const std::vector<std::string> left_out = dead_ends(interfaces);
  std::vector<std::string> names;
  for (const NetworkInterface& interface : interfaces) {
    if (std::ranges::find(left_out, interface.name) == left_out.end()) names.push_back(interface.name);
  }
  if (names.size() < 2) return "";
  return fmt::format(
      "MPI may use {} here; if one of them does not reach the other hosts, name the network that does, as in --mca "
      "btl_tcp_if_include 10.1.0.0/16",
      fmt::join(names, ", "));
}

}  // namespace lockstep
