#include "launch/tools/address_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

#include "base/printable.h"
#include "base/whole_number.h"

namespace lockstep {
namespace {

constexpr std::int64_t kGreatestPort = 65535;

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_control(char c) { return (c >= 0 && c < ' ') || c == 0x7f; }

// The reason why a server could not be started or found under this address; "" if it could.
std::string why_unusable(std::string_view address) {
  if (address.empty()) return "is empty; is there a comma too many?";
  if (std::ranges::any_of(address, is_blank)) return "has a blank in it, which stays; write the commas without blanks";
  if (std::ranges::any_of(address, is_control)) return "has a control character in it, which no name of a host has";
  if (address.find('\'') != std::string_view::npos) {
    return "has a quote in it, which ends the quoted JSON of each line early";
  }
  const std::size_t colon = address.rfind(':');
  const bool in_brackets = address.ends_with(']');  // an IPv6 address without a port
  if (colon == std::string_view::npos || in_brackets) return "has no port; write HOST:PORT";
  if (colon == 0) return "has no host; write HOST:PORT";
  const std::string_view host = address.substr(0, colon);
  if (host.find(':') != std::string_view::npos && !(host.starts_with('[') && host.ends_with(']'))) {
    return "has several colons; write an IPv6 address in brackets: [HOST]:PORT";
  }
  const auto port = parse_digits<std::int64_t>(address.substr(colon + 1));
  if (port && *port >= 1 && *port <= kGreatestPort) return "";
  return fmt::format("has no port from 1 to {} behind its colon; write HOST:PORT", kGreatestPort);
}

struct Faults {
  std::map<std::string, std::string> places{};  // of each address: "--ps, address 2"
  std::vector<std::string> texts{};
};

void check_addresses(std::string_view flag, const std::vector<std::string>& addresses, Faults& faults) {
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::string place = fmt::format("{}, address {}", flag, i + 1);
    const std::string why = why_unusable(addresses[i]);
    if (!why.empty()) faults.texts.push_back(fmt::format("{}: {} {}", place, in_quotes(addresses[i]), why));
    const auto [first, is_new] = faults.places.emplace(addresses[i], place);
    if (!is_new && !addresses[i].empty()) {
      faults.texts.push_back(fmt::format("{}: {} is also {}; each job needs an address of its own", place,
                                         in_quotes(addresses[i]), first->second));
    }
  }
}

}  // namespace

std::vector<std::string> address_faults(const T2tAddresses& addresses) {
  Faults faults;
  check_addresses("--masters", addresses.masters, faults);
  check_addresses("--ps", addresses.ps, faults);
  return faults.texts;
}

}  // namespace lockstep
