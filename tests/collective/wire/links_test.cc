#include "collective/wire/links.h"

#include <doctest/doctest.h>

#include <vector>

#include "support/ranks.h"

namespace lockstep {

TEST_CASE("links: the slowest one is named if it is much slower, and interfaces if they differ") {
  std::vector<Link> links{{"n3", "n1", "eth0", 0.94}, {"n1", "n2", "eth0", 0.91}, {"n2", "n3", "eth0", 0.95}};
  CHECK(describe_links(links) == "between hosts: eth0, 0.94 Gbit/s");
  links[2].gbit = 0.1;
  CHECK(describe_links(links) ==
        "between hosts: eth0, up to 0.94 Gbit/s; from n2 to n3 0.10 Gbit/s, and all wait for the slowest link");
  links[2] = {"n2", "n3", "eth0 + eth1", 0.95};
  CHECK(describe_links(links) == "between hosts: eth0, but eth0 + eth1 on n3, 0.94 Gbit/s");
  for (Link& link : links) link.interfaces = "";
  CHECK(describe_links(links) == "between hosts: 0.94 Gbit/s");
  CHECK(describe_links({}).empty());
}

TEST_CASE("links: every rank measures what it receives") {
  for_rank_contexts([](RankContext& context) {
    const auto messages = make_messages(context);
    CHECK(measure_link(*messages) > 0);
    messages->close();
  });
}

}  // namespace lockstep
