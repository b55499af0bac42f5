#pragma once

#include <cstddef>
#include <span>

#include "collective/tree_plan.h"
#include "tensor/flat_range.h"
#include "tensor/tensor.h"

namespace lockstep {

// The arrays that ranks bring to a sum, and how they are added up. Views: the tensors and plans are the caller's.
class Summands {
 public:
  virtual ~Summands() = default;

  // The number of arrays that a rank brings, each as long as the sum; it may bring none.
  virtual int copies(int rank) const = 0;
  // This rank's.
  virtual Tensor own(int copy) const = 0;
  // Adds up a range of all arrays, given in the order of ranks, and puts it where the sum belongs. Their memory may be
  // overwritten.
  virtual void add(FlatRange range, std::span<const std::span<std::byte>> arrays) = 0;
};

// One array a rank, which the sum replaces; added in the order of ranks.
class RankSummands final : public Summands {
 public:
  explicit RankSummands(const Tensor& values) : values_(values) {}
  int copies(int /*rank*/) const override { return 1; }
  Tensor own(int /*copy*/) const override { return values_; }
  void add(FlatRange range, std::span<const std::span<std::byte>> arrays) override;

 private:
  Tensor values_;
};

// The parts of a tree, as in Communicator::tree_all_reduce().
class TreeSummands final : public Summands {
 public:
  TreeSummands(const TreePlan& plan, std::span<const Tensor> parts, const Tensor& result)
      : plan_(plan), parts_(parts), result_(result) {}
  int copies(int rank) const override { return static_cast<int>(plan_.parts(rank).size()); }
  Tensor own(int copy) const override { return parts_[static_cast<std::size_t>(copy)]; }
  void add(FlatRange range, std::span<const std::span<std::byte>> arrays) override;

 private:
  const TreePlan& plan_;
  std::span<const Tensor> parts_;
  Tensor result_;
};

}  // namespace lockstep
