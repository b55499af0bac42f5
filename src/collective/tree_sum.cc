#include "collective/tree_sum.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "base/error.h"
#include "collective/sum_kernels.h"

namespace lockstep {

void check_tree(const TreePlan& plan, std::span<const Tensor> parts, const Tensor& result, int rank, int ranks,
                const std::string& who) {
  LS_CHECK(plan.world_size() == ranks, fmt::format("a plan for {} ranks on {}", plan.world_size(), who));
  LS_CHECK(parts.size() == plan.parts(rank).size(),
           fmt::format("{} parts where the plan has {}", parts.size(), plan.parts(rank).size()));
  for (const Tensor& part : parts) {
    LS_CHECK(part.dtype() == result.dtype() && part.count() == result.count(),
             fmt::format("a part of {} {} for a result of {} {}", part.count(), name(part.dtype()), result.count(),
                         name(result.dtype())));
  }
}

std::span<std::byte> finish_tree(const TreePlan& plan, std::span<const std::span<std::byte>> nodes, DType dtype) {
  std::vector<std::span<std::byte>> stack;
  auto node = nodes.begin();
  for (int rank = 0; rank < plan.world_size(); ++rank) {
    for (int part = 0; part < static_cast<int>(plan.parts(rank).size()); ++part) {
      stack.push_back(*node++);
      for (int merges = plan.merges_after_part(rank, part); merges > 0; --merges) {
        const std::span<std::byte> right = stack.back();
        stack.pop_back();
        const std::span<std::byte> left = stack.back();
        sum_into(dtype, std::array<const void*, 2>{left.data(), right.data()}, std::array<void*, 1>{left.data()},
                 static_cast<std::int64_t>(left.size() / size_of(dtype)));
      }
    }
  }
  return stack.front();
}

}  // namespace lockstep
