#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "collective/messages.h"
#include "collective/wire/segment_plan.h"
#include "collective/wire/summands.h"
#include "tensor/allocator.h"
#include "tensor/tensor.h"

namespace lockstep {

// Carries out plans over Messages. While a segment is added up, those after it are on their way: receives are started
// ahead of need, and of each peer's messages several are under way at a time.
//
// Steps are finished in the order of the plan. A sum waits until the values it changes are sent; so does a receive in
// place. Keeps the memory for segments under way from call to call.
// COLLECTIVE: run(). One thread. The Messages are the caller's, outlive this, and carry nothing else meanwhile.
class PlanExecutor {
 public:
  explicit PlanExecutor(Messages& messages);

  // Returns when all steps are finished and the values may be used. values: those that the plan's ranges count, on the
  // host, of a summable type if it adds. Throws what Messages throw; messages are still under way then, and the process
  // has to end.
  void run(const SegmentPlan& plan, const Tensor& values);

  // The same for a sum of other arrays, which leaves it in `values`. REQUIRES: the plan is a direct_plan() of a whole
  // all-reduce, in which a rank sends either what it brings or the finished sum of its slice.
  void run(const SegmentPlan& plan, Summands& summands, const Tensor& values);

 private:
  struct Receive {
    int from = 0;
    int slot = 0;  // place in room_ of a copy that will be added
    Messages::Started started{};
  };
  struct Send {
    FlatRange range;
    std::span<const std::byte> bytes;
    Messages::Started started{};
  };
  // The sends to one peer, in order; the first `started` of them are under way.
  struct Peer {
    std::deque<Send> sends;
    std::size_t started = 0;
  };

  int receives_of(const SegmentStep& step) const;
  void make_room(const SegmentPlan& plan, const Tensor& values);
  void start_receives(const SegmentPlan& plan, const Tensor& values);
  void start_receive(int from, const SegmentStep& step, const Tensor& values);
  bool is_being_sent(FlatRange range) const;
  bool is_needed(const SegmentPlan& plan, FlatRange range) const;
  bool finish_step(const SegmentStep& step, const Tensor& values);
  void add_arrays(const SegmentStep& step, const Tensor& values);
  void send_on(const SegmentStep& step, const Tensor& values);
  void move_sends();
  std::byte* slot(int number) const;

  Messages& messages_;
  Summands* summands_ = nullptr;  // of the run under way
  int tag_ = 0;
  std::size_t prepared_ = 0;  // steps whose receives were started
  std::size_t finished_ = 0;
  std::deque<Receive> receives_;  // those of the steps in between, in order
  std::vector<Peer> peers_;       // by rank
  std::vector<int> sending_to_;   // ranks whose Peer has sends
  HostAllocator allocator_;
  Buffer room_;
  std::size_t slot_bytes_ = 0;
  std::vector<int> free_slots_;
  std::vector<std::pair<int, std::span<std::byte>>> by_rank_;  // what a step adds
  std::vector<std::span<std::byte>> arrays_;
};

}  // namespace lockstep
