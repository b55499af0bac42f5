#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "collective/tree_plan.h"
#include "tensor/dtype.h"
#include "tensor/tensor.h"

namespace lockstep {

// Throws Error(internal) unless these are the plan's parts for this rank of so many, alike with the result. who: the
// rank in messages.
void check_tree(const TreePlan& plan, std::span<const Tensor> parts, const Tensor& result, int rank, int ranks,
                const std::string& who);

// The sum of all nodes, in the order of the plan: values of the type, in memory where one of the nodes was, whose
// values are overwritten. nodes: the parts of all ranks in the order of ranks, equally long. Any thread.
std::span<std::byte> finish_tree(const TreePlan& plan, std::span<const std::span<std::byte>> nodes, DType dtype);

}  // namespace lockstep
