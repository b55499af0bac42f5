#include "collective/mpi/network_interfaces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace lockstep {
namespace {

constexpr std::string_view kInternalBridges[] = {"docker", "virbr", "lxcbr", "lxdbr", "cni", "podman"};

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

bool is_dead_end(const NetworkInterface& interface) {
  return !interface.has_carrier || is_internal_bridge(interface.name);
}

}  // namespace

bool is_internal_bridge(std::string_view name) {
  constexpr std::string_view kOfDockerNetwork = "br-";  // and twelve hexadecimal digits
  if (name.starts_with(kOfDockerNetwork)) {
    const std::string_view digits = name.substr(kOfDockerNetwork.size());
    return digits.size() == 12 && digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  }
  return std::ranges::any_of(kInternalBridges, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::vector<NetworkInterface> network_interfaces() {
  std::vector<NetworkInterface> interfaces;
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return interfaces;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(first, ::freeifaddrs);
  for (const ifaddrs* address = first; address != nullptr; address = address->ifa_next) {
    if (!counts(*address)) continue;
    const std::string name = address->ifa_name;
    if (std::ranges::find(interfaces, name, &NetworkInterface::name) != interfaces.end()) continue;
    interfaces.push_back({.name = name, .has_carrier = (address->ifa_flags & IFF_RUNNING) != 0});
  }
  return interfaces;
}

std::vector<std::string> dead_ends(std::span<const NetworkInterface> interfaces) {
  std::vector<std::string> names;
  if (std::ranges::all_of(interfaces, is_dead_end)) return names;
  for (const NetworkInterface& interface : interfaces) {
    const bool hides_another = std::ranges::any_of(interfaces, [&](const NetworkInterface& other) {
      return !is_dead_end(other) && other.name.starts_with(interface.name);
    });
    if (is_dead_end(interface) && !hides_another) names.push_back(interface.name);
  }
  return names;
}

std::string interface_advice(std::span<const NetworkInterface> interfaces) {
  std::vector<std::string> names;
  for (const NetworkInterface& interface : interfaces) {
    if (!is_dead_end(interface)) names.push_back(interface.name);
  }
  if (names.size() < 2) return "";
  return fmt::format(
      "MPI may use {} here; if one of them does not reach the other hosts, name the network that does, as in --mca "
      "btl_tcp_if_include 10.1.0.0/16",
      fmt::join(names, ", "));
}

}  // namespace lockstep
