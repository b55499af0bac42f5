#include "collective/tree_all_reduce.h"

#include <cstring>
#include <vector>

#include "collective/tree_sum.h"

namespace lockstep {
namespace {

// Elements [begin, end) of a slice, as bytes of the flat values.
struct Slice {
  std::size_t begin = 0;  // bytes
  std::size_t bytes = 0;
};

Slice slice_of(const Tensor& values, int rank, int ranks) {
  const auto border = [&](std::int64_t before) {
    return static_cast<std::size_t>(before * values.count() / ranks) * size_of(values.dtype());
  };
  return {border(rank), border(std::int64_t{rank} + 1) - border(rank)};
}

std::span<std::byte> slice_bytes(const Tensor& values, Slice slice) {
  return {static_cast<std::byte*>(values.data()) + slice.begin, slice.bytes};
}

}  // namespace

void TreeAllReduce::run(int rank, const TreePlan& plan, std::span<const Tensor> parts, const Tensor& result,
                        const Exchange& exchange) {
  const int ranks = plan.world_size();
  const Slice mine = slice_of(result, rank, ranks);
  std::size_t foreign_parts = 0;
  for (int peer = 0; peer < ranks; ++peer) foreign_parts += peer == rank ? 0 : plan.parts(peer).size();
  if (received_.bytes() < foreign_parts * mine.bytes) {
    received_ = Buffer();  // never both at once
    received_ = allocator_.allocate(foreign_parts * mine.bytes);
  }

  // (1) My slice of all parts of all ranks; my own are read where they are.
  std::vector<SendPiece> sends;
  std::vector<ReceivePiece> receives;
  std::vector<std::span<std::byte>> nodes;
  auto* free_space = static_cast<std::byte*>(received_.data());
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer == rank) {
      for (const Tensor& part : parts) nodes.push_back(slice_bytes(part, mine));
      continue;
    }
    for (const Tensor& part : parts) sends.push_back({peer, slice_bytes(part, slice_of(result, peer, ranks))});
    for (std::size_t part = 0; part < plan.parts(peer).size(); ++part) {
      nodes.emplace_back(free_space, mine.bytes);
      receives.push_back({peer, nodes.back()});
      free_space += mine.bytes;
    }
  }
  exchange(sends, receives);

  // (2) The sum of my slice.
  const std::span<std::byte> root = finish_tree(plan, nodes, result.dtype());
  const std::span<std::byte> finished = slice_bytes(result, mine);
  if (!root.empty() && root.data() != finished.data()) std::memcpy(finished.data(), root.data(), root.size());

  // (3) The finished slices to all.
  sends.clear();
  receives.clear();
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer == rank) continue;
    sends.push_back({peer, finished});
    receives.push_back({peer, slice_bytes(result, slice_of(result, peer, ranks))});
  }
  exchange(sends, receives);
}

}  // namespace lockstep
