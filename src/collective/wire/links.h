#pragma once

#include <span>
#include <string>

#include "collective/messages.h"

namespace lockstep {

// The link from one host to another, as measured from the rank on `from` to the next rank of the group, on `to`.
struct Link {
  std::string from;
  std::string to;
  std::string interfaces;  // that `to` has connections over, "eth0 + eth1"; "" if they are not of TCP
  double gbit = 0;         // a second
};

// Measures what arrives from the previous rank while this one sends as much to the next, in Gbit/s: 1 MB, the better of
// two rounds. On a link of 1 Gbit/s this takes 20 ms. COLLECTIVE.
double measure_link(Messages& messages);

// What a user has to know of the links between hosts: "between hosts: eth0, 0.94 Gbit/s", with the slowest one if it is
// less than half as fast as most, and the interfaces of each host if they differ. "" for no link. Pure.
std::string describe_links(std::span<const Link> links);

}  // namespace lockstep
