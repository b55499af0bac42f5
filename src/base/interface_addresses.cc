#include "base/interface_addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <array>
#include <cstring>
#include <memory>

namespace lockstep {
namespace {

// "" for an address of another family.
std::string bytes_of(const sockaddr& address) {
  const auto text = [](const auto& number) {
    return std::string(reinterpret_cast<const char*>(&number), sizeof number);
  };
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    return text(v4.sin_addr);
  }
  if (address.sa_family != AF_INET6) return "";
  sockaddr_in6 v6{};
  std::memcpy(&v6, &address, sizeof v6);
  return text(v6.sin6_addr);
}

bool is_ipv6(const std::string& bytes) { return bytes.size() == sizeof(in6_addr); }

}  // namespace

bool InterfaceAddress::is_link_local() const {
  in6_addr address{};
  if (!is_ipv6(bytes)) return false;
  std::memcpy(&address, bytes.data(), sizeof address);
  return IN6_IS_ADDR_LINKLOCAL(&address);
}

std::string InterfaceAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  return ::inet_ntop(is_ipv6(bytes) ? AF_INET6 : AF_INET, bytes.data(), text.data(), text.size());
}

std::vector<InterfaceAddress> interface_addresses() {
  std::vector<InterfaceAddress> addresses;
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return addresses;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(first, ::freeifaddrs);
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_LOOPBACK) != 0) continue;
    std::string bytes = bytes_of(*one->ifa_addr);
    if (bytes.empty()) continue;
    addresses.push_back({.interface = one->ifa_name,
                         .bytes = std::move(bytes),
                         .is_up = (one->ifa_flags & IFF_UP) != 0,
                         .has_carrier = (one->ifa_flags & IFF_RUNNING) != 0});
  }
  return addresses;
}

}  // namespace lockstep
