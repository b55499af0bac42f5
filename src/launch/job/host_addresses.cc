#include "launch/job/host_addresses.h"

#include <algorithm>
#include <utility>

#include "base/host_name.h"
#include "base/interface_addresses.h"

namespace lockstep {

std::vector<std::string> host_addresses() {
  std::vector<std::string> names{host_name()};
  for (const InterfaceAddress& address : interface_addresses()) {
    if (address.is_link_local()) continue;  // nobody outside this network segment can use it
    std::string name = address.text();
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace lockstep
