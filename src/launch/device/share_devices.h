#pragma once

#include <vector>

namespace lockstep {

// Gives each of several takers one of the things that it can use, so that the most takers on one thing are as few as
// possible. candidates: for each taker the numbers of things, preferred ones first; not empty. load: the number of
// takers that each thing has already. Returns the thing of each taker. Takers come in order; an earlier one gets what
// it prefers if that leaves enough for all. Bipartite matching by augmenting paths (Kuhn 1955, "The Hungarian method").
std::vector<int> share_devices(const std::vector<std::vector<int>>& candidates, const std::vector<int>& load);

}  // namespace lockstep
