#pragma once

#include <vector>

namespace lockstep {

// Gives each of several takers one of the things that it can use: as many takers on the thing that has most as need be,
// no more. candidates: of each taker the numbers of things, those that it prefers first; not empty. load: takers that
// things have already. Takers come in their order; who comes earlier gets what it prefers where that leaves enough for
// all. A matching in a graph of two sides, by augmenting paths (Kuhn 1955, "The Hungarian method").
std::vector<int> share_devices(const std::vector<std::vector<int>>& candidates, const std::vector<int>& load);

}  // namespace lockstep
