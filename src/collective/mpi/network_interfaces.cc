#include "collective/mpi/network_interfaces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/interface_addresses.h"

namespace lockstep {
namespace {

constexpr std::string_view kInternalBridges[] = {"docker", "virbr", "lxcbr", "lxdbr", "cni", "podman"};

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
  for (const InterfaceAddress& address : interface_addresses()) {
    if (!address.is_up || address.is_link_local()) continue;
    if (std::ranges::find(interfaces, address.interface, &NetworkInterface::name) != interfaces.end()) continue;
    interfaces.push_back({.name = address.interface, .has_carrier = address.has_carrier});
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
