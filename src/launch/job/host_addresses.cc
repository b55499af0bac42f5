#include "launch/job/host_addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "base/host_name.h"

namespace lockstep {
namespace {

// "" for an address that cannot be used outside this host, or this network segment.
std::string numeric_address(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    return ::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    if (IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr)) return "";
    return ::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
  }
  return "";
}

}  // namespace

std::vector<std::string> host_addresses() {
  std::vector<std::string> names{host_name()};
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return names;  // the name has to do
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(first, ::freeifaddrs);
  for (const ifaddrs* interface = first; interface != nullptr; interface = interface->ifa_next) {
    if (interface->ifa_addr == nullptr || (interface->ifa_flags & IFF_LOOPBACK) != 0) continue;
    std::string name = numeric_address(*interface->ifa_addr);
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace lockstep
