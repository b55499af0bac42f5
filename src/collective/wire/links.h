#pragma once

#include <span>
#include <string>

#include "collective/messages.h"

namespace lockstep {

// The link from one host to another, as measured from the rank on `from` to the next rank of the group, on `to`.
struct Link {
  std::string from;
  std::string to;
  std::string interfaces;  // that `to` has connections over, "eth0 + eth1"; "" if unknown
  double gbit = 0;         // a second
};

// Measures what arrives from the previous rank while this one sends as much to the next, in Gbit/s: 1 MB, the best of
// three rounds, latency included, so that it is never too much. On a link of 1 Gbit/s this takes 30 ms. COLLECTIVE.
double measure_link(Messages& messages);

// The links between hosts in a line for a user: "between hosts: eth0, 0.94 Gbit/s", with the slowest one if it has less
// than a third of the fastest, and hosts whose interfaces are others. "" for no link. Pure.
std::string describe_links(std::span<const Link> links);

}  // namespace lockstep
