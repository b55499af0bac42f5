#include "collective/tree_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "base/error.h"

namespace lockstep {

namespace {

// Neighbouring blocks, in the order of ranks, whose sizes differ by at most one among owners.
std::vector<TreePlan::Node> cut_into_blocks(int leaves, const std::vector<bool>& owners) {
  const std::int64_t count = std::ranges::count(owners, true);
  LS_CHECK(1 <= count && count <= leaves,
           fmt::format("a tree of {} leaves cannot be cut into {} blocks", leaves, count));
  std::vector<TreePlan::Node> blocks;
  std::int64_t before = 0;  // owners so far
  for (const bool owner : owners) {
    const auto begin = static_cast<int>(before * leaves / count);
    before += owner ? 1 : 0;
    blocks.push_back({begin, static_cast<int>(before * leaves / count)});
  }
  return blocks;
}

}  // namespace

TreePlan::TreePlan(int leaves, int world_size)
    : TreePlan(leaves, std::vector<bool>(static_cast<std::size_t>(std::max(world_size, 0)), true)) {}

TreePlan::TreePlan(int leaves, const std::vector<bool>& owners)
    : leaves_(leaves), world_size_(static_cast<int>(owners.size())), blocks_(cut_into_blocks(leaves, owners)) {
  const std::size_t ranks = owners.size();
  parts_.resize(ranks);
  part_merges_.resize(ranks);
  stack_depth_.assign(ranks, 0);
  leaf_merges_.assign(static_cast<std::size_t>(leaves), 0);

  std::vector<std::size_t> rank_of;  // the rank that owns a leaf
  for (std::size_t rank = 0; rank < ranks; ++rank) rank_of.resize(static_cast<std::size_t>(blocks_[rank].end), rank);

  // Children before parents, so that a rank's last part is the one that ends where the node ends.
  const std::function<void(Node, bool)> visit = [&](Node node, bool inside_a_part) {
    const auto last_leaf = static_cast<std::size_t>(node.end) - 1;
    const std::size_t owner = rank_of[last_leaf];
    const bool in_one_block = rank_of[static_cast<std::size_t>(node.begin)] == owner;
    if (const int n = node.end - node.begin; n > 1) {
      const int middle = node.begin + static_cast<int>(std::bit_floor(static_cast<unsigned>(n) - 1));
      visit({node.begin, middle}, in_one_block);
      visit({middle, node.end}, in_one_block);
      ++(in_one_block ? leaf_merges_[last_leaf] : part_merges_[owner].back());
    }
    if (in_one_block && !inside_a_part) {
      parts_[owner].push_back(node);
      part_merges_[owner].push_back(0);
    }
  };
  visit({0, leaves}, false);

  for (std::size_t rank = 0; rank < ranks; ++rank) {
    int depth = 0;
    const Node own = blocks_[rank];
    for (int leaf = own.begin; leaf < own.end; ++leaf) {
      stack_depth_[rank] = std::max(stack_depth_[rank], ++depth);
      depth -= merges_after_leaf(leaf);
    }
  }
}

int TreePlan::merges_after_part(int rank, int part) const {
  return part_merges_.at(static_cast<std::size_t>(rank)).at(static_cast<std::size_t>(part));
}

int TreePlan::stack_depth(int rank) const { return stack_depth_.at(static_cast<std::size_t>(rank)); }

}  // namespace lockstep
