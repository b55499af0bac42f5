#include "collective/wire/summands.h"

#include <cstring>
#include <vector>

#include "collective/sum_kernels.h"
#include "collective/tree_sum.h"
#include "tensor/host_bytes.h"

namespace lockstep {

void RankSummands::add(FlatRange range, std::span<const std::span<std::byte>> arrays) {
  std::vector<const void*> sources;
  sources.reserve(arrays.size());
  for (const std::span<std::byte> array : arrays) sources.push_back(array.data());
  void* const sum = values_.flat(range).data();
  sum_into(values_.dtype(), sources, {&sum, 1}, range.count());
}

void TreeSummands::add(FlatRange range, std::span<const std::span<std::byte>> arrays) {
  const std::span<std::byte> root = finish_tree(plan_, arrays, result_.dtype());
  const std::span<std::byte> sum = host_bytes(result_.flat(range));
  if (root.data() != sum.data()) std::memcpy(sum.data(), root.data(), sum.size());
}

}  // namespace lockstep
