#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep {

// The fixed binary tree of --exact, as pure arithmetic.
//
// V leaves (micro-shards) 0 .. V-1. A node is a run of leaves [begin, end); the children of a node of n > 1 leaves are
// its first p and its remaining n - p leaves, p the largest power of two below n. A node's value is left + right, so
// the root's value is one fixed sequence of roundings. Every owner, a rank that has leaves, owns a block of
// neighbouring leaves and adds up what it can alone: that leaves the largest nodes inside the block, its parts. Any
// rank that holds the parts of all ranks can finish the tree. The other ranks' blocks are empty, so which ranks own
// leaves changes no bit.
class TreePlan {
 public:
  struct Node {
    int begin = 0;
    int end = 0;
    bool operator==(const Node&) const = default;
  };

  // owners[rank]: true if that rank has leaves. REQUIRES: 1 <= number of owners <= leaves.
  TreePlan(int leaves, const std::vector<bool>& owners);
  // All ranks own leaves.
  TreePlan(int leaves, int world_size);

  int leaves() const { return leaves_; }
  int world_size() const { return world_size_; }

  // The leaves of a rank: owners' sizes differ by at most one, those of other ranks are 0.
  Node block(int rank) const { return blocks_.at(static_cast<std::size_t>(rank)); }
  // The subtrees a rank has after adding up its block, in the order of leaves.
  const std::vector<Node>& parts(int rank) const { return parts_.at(static_cast<std::size_t>(rank)); }

  // The tree is added up on a stack: push the nodes in the order of leaves; after a push, merge the two on top (below +
  // top, in that order) as many times as the next two functions say.
  //
  // The number of merges after pushing leaf `leaf`, within the block of its rank.
  int merges_after_leaf(int leaf) const { return leaf_merges_.at(static_cast<std::size_t>(leaf)); }
  // The number of merges after pushing part `part` of `rank` when the parts of all ranks are pushed in the order of
  // ranks.
  int merges_after_part(int rank, int part) const;
  // The largest number of nodes on a rank's stack while it adds up its block.
  int stack_depth(int rank) const;

 private:
  int leaves_;
  int world_size_;
  std::vector<Node> blocks_;
  std::vector<std::vector<Node>> parts_;
  std::vector<int> leaf_merges_;
  std::vector<std::vector<int>> part_merges_;
  std::vector<int> stack_depth_;
};

}  // namespace lockstep
