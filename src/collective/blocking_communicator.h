#pragma once

#include <memory>
#include <string>

#include "collective/collective_call.h"
#include "collective/communicator.h"
#include "collective/tree_all_reduce.h"

namespace lockstep {

// Base of the communicators whose operations are done when they return. Checks arguments, marks the operation in the
// Trace, builds tree_all_reduce on the exchange of pieces, allocates on the heap unless an implementation has better
// memory, and returns tickets that are done. An implementation fills the hooks below.
//
// The Trace must outlive the communicator and all that split() makes of it: they mark their operations in the same one.
class BlockingCommunicator : public Communicator {
 public:
  int rank() const final { return rank_; }
  int size() const final { return size_; }
  Allocator& allocator() override { return allocator_; }
  Allocator* common_memory() override { return size_ == 1 ? &allocator() : nullptr; }

  Ticket all_reduce(const Tensor& values, Event after) final;
  Ticket reduce_scatter(const Tensor& values, std::span<const FlatRange> slices, Event after) final;
  Ticket all_gather(const Tensor& values, std::span<const FlatRange> slices, Event after) final;
  Ticket broadcast(const Tensor& values, int root, Event after) final;
  Ticket tree_all_reduce(const TreePlan& plan, std::span<const Tensor> parts, const Tensor& result) final;
  void wait(Ticket ticket) final;
  void barrier() final;
  void broadcast(std::span<std::byte> bytes, int root) final;
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) final;
  void exchange(std::span<const SendPiece> sends, std::span<const ReceivePiece> receives) final;
  std::unique_ptr<Communicator> split(int color, int key) final;
  void close() final;

 protected:
  // group: the number of this group in hang verdicts (base/trace.h).
  BlockingCommunicator(int rank, int size, Trace& trace, std::uint32_t group)
      : rank_(rank), size_(size), trace_(trace), membership_(trace, group) {}

  Trace& trace() { return trace_; }
  std::string who() const;  // this rank in messages: "rank 2 of 4 (mpi)"

  // Runs before each operation but close(), even before an empty one: for an implementation that compares the ranks'
  // calls. Throws Error(internal) on all ranks if the calls differ.
  virtual void check_call(const CollectiveCall& /*call*/) {}

  // The operations themselves; their arguments have been checked. Pieces of an exchange may be empty. Tensors are on
  // the host and not empty; those to sum have a summable() type. Slices fit.
  virtual void do_all_reduce(const Tensor& values) = 0;
  virtual void do_reduce_scatter(const Tensor& values, std::span<const FlatRange> slices) = 0;
  virtual void do_gather_slices(const Tensor& values, std::span<const FlatRange> slices) = 0;
  // Returns whether it has summed the parts in a better way than an exchange of pieces: the same on all ranks.
  virtual bool do_tree_all_reduce(const TreePlan& /*plan*/, std::span<const Tensor> /*parts*/,
                                  const Tensor& /*result*/) {
    return false;
  }
  virtual void do_barrier() = 0;
  virtual void do_broadcast(std::span<std::byte> bytes, int root) = 0;
  virtual void do_all_gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
  virtual void do_exchange(std::span<const SendPiece> sends, std::span<const ReceivePiece> receives) = 0;
  // group: the number of the new communicator's group.
  virtual std::unique_ptr<Communicator> do_split(int color, int key, std::uint32_t group) = 0;
  virtual void do_close() = 0;

 private:
  void check_open() const;
  void broadcast(std::span<std::byte> bytes, DType dtype, int root);
  // Marks the operation in the trace and checks that all call the same.
  Trace::OperationScope begin(const CollectiveCall& call, std::int64_t bytes);

  int rank_;
  int size_;
  Trace& trace_;
  Trace::Membership membership_;
  std::uint32_t splits_ = 0;  // number of calls of split() so far
  HostAllocator allocator_;
  TreeAllReduce tree_all_reduce_;
  bool open_ = true;
};

}  // namespace lockstep
