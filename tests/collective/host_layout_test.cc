#include "collective/host_layout.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/ranks.h"

namespace lockstep {
namespace {

HostLayout layout(const std::vector<int>& host_of) { return HostLayout(host_of); }

}  // namespace

TEST_CASE("hosts are numbered in the order of their first ranks, and say how many ranks they have") {
  const HostLayout hosts = layout({7, 7, 3, 3, 3, 9});
  CHECK(hosts.hosts() == 3);
  CHECK(hosts.most_ranks() == 3);
  CHECK(hosts.in_blocks());
  CHECK(hosts.ranks_on(0) == 2);
  CHECK(hosts.ranks_on(1) == 3);
  CHECK(hosts.host_of(5) == 2);
  CHECK_FALSE(layout({0, 1, 0}).in_blocks());
  CHECK(layout({0, 1, 0}).hosts() == 2);
  CHECK(layout({0, 1, 0}).most_ranks() == 2);
}

TEST_CASE("a layout's text tells layouts apart, and stays short on many hosts") {
  CHECK(layout({0}).text() == "1 rank");
  CHECK(layout({0, 0}).text() == "2 ranks");
  CHECK(layout({0, 0, 1, 1, 2}).text() == "2 + 2 + 1 ranks");
  CHECK(layout({0, 1, 0, 1}).text() == "ranks on hosts 0 1 0 1");
  std::vector<int> many;
  for (int rank = 0; rank < 16 * 8 + 4; ++rank) many.push_back(rank / 8);
  CHECK(layout(many).text() == "16 x 8 + 4 ranks");
}

TEST_CASE("ranks find who shares their host by its name") {
  for_thread_ranks(5, [](RankContext& rank) {
    const int host = rank.communicator.rank() / 2;
    const HostLayout hosts = find_hosts(rank.communicator, "node" + std::to_string(host));
    CHECK(hosts.text() == "2 + 2 + 1 ranks");
    CHECK(hosts.host_of(rank.communicator.rank()) == host);
  });
}

}  // namespace lockstep
