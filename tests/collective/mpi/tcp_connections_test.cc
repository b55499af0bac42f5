#include "collective/mpi/tcp_connections.h"

#include <doctest/doctest.h>

#include <string>

namespace lockstep {

TEST_CASE("the kernel's tables of connections") {
  // As a host with the least significant byte first prints them.
  const auto connections = parse_tcp_connections(
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
      "   0: 0AD5000B:0400 0AD5000C:9C40 01 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000 20\n"
      "   1: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12 1 0000 100\n"
      "   2: 0000000000000000FFFF00000AD5000B:0400 0000000000000000FFFF00000AD5000C:9C40 01 00000000:00000000 "
      "00:00000000 00000000 0 0 13 1\n"
      "a line of another form\n");
  REQUIRE(connections.size() == 3);
  CHECK(connections[0].local == std::string{'\x0b', '\0', '\xd5', '\x0a'});
  CHECK(connections[0].established);
  CHECK(connections[0].inode == 4711);
  CHECK_FALSE(connections[1].established);
  CHECK(connections[2].local == connections[0].local);  // of IPv4 in either table
}

TEST_CASE("a process without connections uses no interface") { CHECK(connected_interfaces().empty()); }

}  // namespace lockstep
