#include "collective/tree_plan.h"

#include <doctest/doctest.h>

#include <bit>

#include "base/error.h"

namespace lockstep {
namespace {

using Node = TreePlan::Node;

// Returns whether [begin, end) is a node of the tree over `inside`, from the definition alone.
bool is_node(Node node, Node inside) {
  if (node == inside) return true;
  if (inside.end - inside.begin == 1) return false;
  const int middle =
      inside.begin + static_cast<int>(std::bit_floor(static_cast<unsigned>(inside.end - inside.begin - 1)));
  return node.end <= middle ? is_node(node, {inside.begin, middle})
                            : node.begin >= middle && is_node(node, {middle, inside.end});
}

// Applies the plan's merges to a stack of nodes.
void push(std::vector<Node>& stack, Node node, int merges) {
  stack.push_back(node);
  for (; merges > 0; --merges) {
    REQUIRE(stack.size() >= 2);
    const Node right = stack.back();
    stack.pop_back();
    REQUIRE(stack.back().end == right.begin);
    stack.back().end = right.end;
  }
}

void check_merges(const TreePlan& plan) {
  const Node root{0, plan.leaves()};
  std::vector<Node> all;
  for (int rank = 0; rank < plan.world_size(); ++rank) {
    std::vector<Node> stack;
    int depth = 0;
    const Node block = plan.block(rank);
    for (int leaf = block.begin; leaf < block.end; ++leaf) {
      depth = std::max(depth, static_cast<int>(stack.size()) + 1);
      push(stack, {leaf, leaf + 1}, plan.merges_after_leaf(leaf));
      CHECK(is_node(stack.back(), root));
    }
    CHECK(stack == plan.parts(rank));
    CHECK(depth == plan.stack_depth(rank));
    for (std::size_t part = 0; part < stack.size(); ++part) {
      push(all, stack[part], plan.merges_after_part(rank, static_cast<int>(part)));
      CHECK(is_node(all.back(), root));
    }
  }
  CHECK(all == std::vector<Node>{root});
}

}  // namespace

TEST_CASE("blocks cover the leaves, and their sizes differ by at most one") {
  for (int leaves = 1; leaves <= 17; ++leaves) {
    for (int ranks = 1; ranks <= leaves; ++ranks) {
      const TreePlan plan(leaves, ranks);
      CHECK(plan.leaves() == leaves);
      CHECK(plan.world_size() == ranks);
      int next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const Node block = plan.block(rank);
        CHECK(block.begin == next);
        const int size = block.end - block.begin;
        CHECK(size >= leaves / ranks);
        CHECK(size <= (leaves + ranks - 1) / ranks);
        next = block.end;
      }
      CHECK(next == leaves);
    }
  }
}

TEST_CASE("every merge makes a node of the tree, down to the root") {
  for (int leaves = 1; leaves <= 17; ++leaves) {
    for (int ranks = 1; ranks <= leaves; ++ranks) check_merges(TreePlan(leaves, ranks));
  }
}

TEST_CASE("ranks without leaves have empty blocks, wherever they stand, and the others' are cut as without them") {
  for (int leaves = 1; leaves <= 9; ++leaves) {
    for (unsigned mask = 1; mask < 32; ++mask) {  // which of five ranks own leaves
      std::vector<bool> owners;
      for (unsigned rank = 0; rank < 5; ++rank) owners.push_back((mask >> rank & 1U) != 0);
      const auto count = static_cast<int>(std::popcount(mask));
      if (count > leaves) {
        CHECK_THROWS_AS(TreePlan(leaves, owners), Error);
        continue;
      }
      const TreePlan plan(leaves, owners);
      const TreePlan alone(leaves, count);
      CHECK(plan.world_size() == 5);
      int owner = 0;
      for (int rank = 0; rank < 5; ++rank) {
        const Node block = plan.block(rank);
        if (owners[static_cast<std::size_t>(rank)]) {
          CHECK(block == alone.block(owner));
          CHECK(plan.parts(rank) == alone.parts(owner++));
        } else {
          CHECK(block.begin == block.end);
          CHECK(plan.parts(rank).empty());
          CHECK(plan.stack_depth(rank) == 0);
        }
      }
      check_merges(plan);
    }
  }
}

TEST_CASE("eight leaves on three ranks, by hand") {
  // ((0 1) (2 3)) ((4 5) (6 7)), cut before 2 and 5.
  const TreePlan plan(8, 3);
  CHECK(plan.parts(0) == std::vector<Node>{{0, 2}});
  CHECK(plan.parts(1) == std::vector<Node>{{2, 4}, {4, 5}});
  CHECK(plan.parts(2) == std::vector<Node>{{5, 6}, {6, 8}});
  CHECK(plan.merges_after_part(0, 0) == 0);
  CHECK(plan.merges_after_part(1, 0) == 1);
  CHECK(plan.merges_after_part(1, 1) == 0);
  CHECK(plan.merges_after_part(2, 0) == 1);
  CHECK(plan.merges_after_part(2, 1) == 2);
}

TEST_CASE("more ranks than leaves are refused") {
  CHECK_THROWS_AS(TreePlan(3, 4), Error);
  CHECK_THROWS_AS(TreePlan(0, 0), Error);
}

}  // namespace lockstep
