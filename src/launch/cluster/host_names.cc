#include "launch/cluster/host_names.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace lockstep {
namespace {

// A numeric address as inet_ntop writes it; IPv4 within IPv6 (::ffff:10.0.0.1) as IPv4. Nothing for a name.
std::optional<std::string> numeric(const std::string& host) {
  in_addr v4{};
  if (::inet_pton(AF_INET, host.c_str(), &v4) == 1) return host;  // it accepts only the shortest form
  std::array<char, INET6_ADDRSTRLEN> text{};
  in6_addr v6{};
  if (::inet_pton(AF_INET6, host.c_str(), &v6) != 1) return {};
  if (IN6_IS_ADDR_V4MAPPED(&v6)) return ::inet_ntop(AF_INET, &v6.s6_addr[12], text.data(), text.size());
  return ::inet_ntop(AF_INET6, &v6, text.data(), text.size());
}

std::string_view without_port(std::string_view address) {
  if (const auto scheme = address.find("://"); scheme != std::string_view::npos) address.remove_prefix(scheme + 3);
  if (address.starts_with('[')) return address.substr(1, address.find(']') - 1);
  const auto colon = address.find(':');
  if (colon == std::string_view::npos || address.find(':', colon + 1) != std::string_view::npos)
    return address;  // IPv6
  return address.substr(0, colon);
}

bool is_numeric(std::string_view host) {
  return host.find(':') != std::string_view::npos || host.find_first_not_of("0123456789.") == std::string_view::npos;
}

std::string_view first_label(std::string_view host) { return host.substr(0, host.find('.')); }

}  // namespace

std::string host_in(std::string_view address) {
  std::string_view text = without_port(address);
  text = text.substr(0, text.find('%'));
  if (text.ends_with('.')) text.remove_suffix(1);
  std::string host(text);
  std::ranges::transform(host, host.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return is_numeric(host) ? numeric(host).value_or(host) : host;
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host.starts_with("localhost.") || host == "::1" ||
         (host.starts_with("127.") && is_numeric(host));
}

void HostDirectory::add(int host, std::span<const std::string> names) {
  const auto enter = [host](std::vector<int>& hosts) {
    if (hosts.empty() || hosts.back() != host) hosts.push_back(host);
  };
  for (const std::string& name : names) {
    std::string known = host_in(name);
    if (known.empty() || is_loopback(known)) continue;
    if (!is_numeric(known) && known.find('.') != std::string::npos) {
      enter(first_labels_[std::string(first_label(known))]);
    }
    enter(names_[std::move(known)]);
  }
}

std::span<const int> HostDirectory::find(std::string_view address) const {
  const std::string host = host_in(address);
  if (const auto exact = names_.find(host); exact != names_.end()) return exact->second;
  if (is_numeric(host)) return {};
  const bool is_full = host.find('.') != std::string::npos;
  const ByName& others = is_full ? names_ : first_labels_;
  const auto found = others.find(std::string(first_label(host)));
  return found == others.end() ? std::span<const int>() : found->second;
}

}  // namespace lockstep
