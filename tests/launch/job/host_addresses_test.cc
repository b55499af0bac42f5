#include "launch/job/host_addresses.h"

#include <doctest/doctest.h>

#include <set>

#include "base/host_name.h"
#include "launch/cluster/host_names.h"

namespace lockstep {

TEST_CASE("host addresses: this host's name first, nothing twice, nothing that every host has") {
  const std::vector<std::string> names = host_addresses();
  REQUIRE(!names.empty());
  CHECK(names.front() == host_name());
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  for (std::size_t i = 1; i < names.size(); ++i) {
    CAPTURE(names[i]);
    CHECK(host_in(names[i]) == names[i]);
    CHECK_FALSE(is_loopback(names[i]));
    CHECK_FALSE(names[i].starts_with("fe80"));
  }
}

}  // namespace lockstep
