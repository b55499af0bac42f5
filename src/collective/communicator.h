#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/trace.h"
#include "collective/tree_plan.h"
#include "tensor/allocator.h"
#include "tensor/event.h"
#include "tensor/tensor.h"

namespace lockstep {

// The thread that runs collectives: the caller's, or another one while the caller goes on computing.
enum class Overlap { inline_calls, thread };

// A collective that was started and may still be running.
struct Ticket {
  std::uint64_t number = 0;  // 0 = done already
};

// One piece of a Communicator::exchange.
struct SendPiece {
  int to = 0;
  std::span<const std::byte> bytes;
};
struct ReceivePiece {
  int from = 0;
  std::span<std::byte> bytes;
};

// A group of ranks that talk: ranks 0 .. size-1, each with a Communicator object of its own.
//
// All operations are COLLECTIVE except wait(), abandon(), set_overlap() and queries: every rank of the group calls the
// same ones in the same order, with the same sizes (pieces of an exchange() may differ). A group may be a part of the
// world (split), and may lack the world's rank 0.
//
// Operations on tensors return tickets; the tensors belong to the operation until wait(). Blocking implementations
// (self, mpi, shm, hierarchical) are done when they return; CommunicationThread runs any of them in the background, in
// the order of the calls; a GPU's communicator queues them on a stream of the device. Operations on bytes (addresses,
// votes, states of a checkpoint) are done when they return.
//
// Sums are of float32, float64, bfloat16, float16 or uint8 (modulo 256); the 16-bit types are added in float32. Counts
// may be beyond 2^31.
//
// Slices divide a tensor among the ranks: one range for each rank, in the order of ranks, each beginning where the
// previous one ends, from 0 to the count (collective/slices.h). A range may be empty.
//
// One thread at a time; abandon() may be called from any thread. The maker owns the object, and calls close()
// (COLLECTIVE) when all went well. Destructors are local: a rank that unwinds after an error never waits for others.
//
// Errors: a peer that left, or a failed call, is an Error(internal) that names the operation. A peer that does not come
// is left to the watchdog (collective/watch/watchdog.h); the unit tests' ThreadWorld has a time-out of its own. Ranks
// whose operations, types, counts, roots or slices differ get an Error(internal) that names both calls; if the pieces
// of an exchange do not match, it names two ranks. shm and ThreadWorld always check this, mpi if it was made to
// (collective/mpi/mpi_communicator.h), hierarchical as far as its parts do.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual const char* name() const = 0;  // a name for messages, such as "mpi" or "shm"
  // Text that names what determines the bits of its sums, besides the number of ranks and how values are cut: first its
  // name as --collective has it and, if it matters, which ranks share a host; then, after a comma, the version of the
  // library that adds up for it ("mpi, Open MPI 4.1.4", "hierarchical of 2 + 2 ranks, ..."). To resume with another
  // text is refused unless --allow_changes accepts it; where --collective=auto has to choose another, that is only
  // reported.
  virtual std::string summation() const { return name(); }
  // Returns whether reduce_scatter gives the bits of all_reduce. If not, a run that uses one has another summation than
  // a run that uses the other.
  virtual bool scatters_alike() const { return true; }
  // Details for the start-up lines on how it works on these ranks, once its memory has been allocated; "" if its name
  // says it all.
  virtual std::string details() const { return ""; }
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Memory that all_reduce works on in place without a copy; the ParameterStore lives in it. Its allocate() may be
  // COLLECTIVE.
  virtual Allocator& allocator() = 0;

  // Memory that all ranks have as one copy: what one of them writes, the others can read once both have met at a later
  // barrier(). No operation may have its result there: every rank would write it, all at the same time. Null: these
  // ranks cannot have it, because they are on several hosts, or this implementation has none. A single rank gets
  // allocator()'s.
  virtual Allocator* common_memory() { return nullptr; }

  // values = their sum over all ranks, in place. Same bits on every rank. The bits may depend on the number of ranks
  // and on how values are cut into calls. Starts after the event `after`, which the values' Backend recorded behind the
  // work that computes them; on the host it has always passed.
  virtual Ticket all_reduce(const Tensor& values, Event after = {}) = 0;

  // This rank's slice of values = its sum over all ranks, in place, with the bits of all_reduce if scatters_alike().
  // The other slices are undefined afterwards.
  virtual Ticket reduce_scatter(const Tensor& values, std::span<const FlatRange> slices, Event after = {}) = 0;

  // Each slice of values = the copy of the rank that owns it, in place. Any type.
  virtual Ticket all_gather(const Tensor& values, std::span<const FlatRange> slices, Event after = {}) = 0;

  // values = root's, in place. Any type.
  virtual Ticket broadcast(const Tensor& values, int root, Event after = {}) = 0;

  // result = the sum of all leaves of plan's binary tree. parts: this rank's subtrees, in the order of
  // plan.parts(rank()), each of result's count and dtype; their contents are undefined afterwards. No part may overlap
  // result, except that a single part may be result itself. The bits depend on the plan's number of leaves only: not on
  // ranks, nor on how values are cut into calls. REQUIRES: plan.world_size() == size().
  virtual Ticket tree_all_reduce(const TreePlan& plan, std::span<const Tensor> parts, const Tensor& result) = 0;

  // Returns when the caller may use the results of this operation and of all before it: for tensors on the host, in its
  // next instruction; for tensors on a device, in the next operation of its Backend (the backend's stream waits, not
  // the host).
  virtual void wait(Ticket ticket) = 0;

  // Returns whether operations on tensors, but tree_all_reduce(), can be part of a Backend's graph
  // (tensor/operation_graph.h): they are given to a stream of the device, and the host takes no part. Those of a single
  // rank can, as they do nothing.
  virtual bool works_in_graphs() const { return size() == 1; }

  // Chooses the thread that runs operations from the next call on, if this communicator can run them on either
  // (make_communication_thread()); returns whether it can. Bits do not depend on it. Local. REQUIRES: nothing under
  // way.
  virtual bool set_overlap(Overlap /*overlap*/) { return false; }

  // Returns when every rank of the group has come.
  virtual void barrier() = 0;

  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  // all (size() * mine.size() bytes) = every rank's bytes, in the order of ranks.
  virtual void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
  // Sends and receives pieces, each matched by sender, receiver and order. Every rank takes part, also with none.
  virtual void exchange(std::span<const SendPiece> sends, std::span<const ReceivePiece> receives) = 0;

  // The group of the ranks that give the same color, ordered by key, then by rank; color < 0: in none (nullptr).
  virtual std::unique_ptr<Communicator> split(int color, int key) = 0;

  // Normal shutdown. Further calls are errors.
  virtual void close() = 0;

  // This rank gives up, in place of close(). Local, from any thread: operations of the group that are under way or come
  // later fail as soon as the implementation can make them. MPI cannot; there the process is about to be aborted.
  virtual void abandon() noexcept = 0;
};

// These are broadcast() and all_gather() of one plain value, and broadcast() of root's text.
template <class T>
  requires std::is_trivially_copyable_v<T>
void broadcast_value(Communicator& communicator, T& value, int root) {
  communicator.broadcast(std::as_writable_bytes(std::span(&value, 1)), root);
}
template <class T>
  requires std::is_trivially_copyable_v<T>
std::vector<T> all_gather_value(Communicator& communicator, const T& value) {
  std::vector<T> all(static_cast<std::size_t>(communicator.size()));
  communicator.all_gather(std::as_bytes(std::span(&value, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}
inline void broadcast_text(Communicator& communicator, std::string& text, int root) {
  auto size = static_cast<std::int64_t>(text.size());
  broadcast_value(communicator, size, root);
  text.resize(static_cast<std::size_t>(size));
  communicator.broadcast(std::as_writable_bytes(std::span(text)), root);
}

// Returns the first non-empty text in the order of ranks, on all ranks; "" if all are empty. mine: this rank's.
// COLLECTIVE.
inline std::string first_text(Communicator& communicator, std::string mine) {
  const std::vector<std::uint8_t> says = all_gather_value(communicator, static_cast<std::uint8_t>(!mine.empty()));
  int first = 0;
  while (first < communicator.size() && says[static_cast<std::size_t>(first)] == 0) ++first;
  if (first == communicator.size()) return "";
  broadcast_text(communicator, mine, first);
  return mine;
}

}  // namespace lockstep
