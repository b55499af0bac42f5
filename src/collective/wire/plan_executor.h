#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "collective/messages.h"
#include "collective/wire/segment_plan.h"
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

  // Returns when all steps are finished and the values may be used. values: those that the plan's ranges count, of a
  // summable type if it adds, on the host. Throws what Messages throw.
  void run(const SegmentPlan& plan, const Tensor& values);

 private:
  struct Receive {
    int from = 0;
    int slot = 0;  // place in room_ of a copy that will be added
    Messages::Started started{};
  };
  struct Send {
    FlatRange range;
    Messages::Started started{};
  };
  // What goes to one peer, in order; the first `started` of them are under way.
  struct Peer {
    std::deque<Send> sends;
    std::size_t started = 0;
  };

  void make_room(const SegmentPlan& plan, const Tensor& values);
  void start_receives(const SegmentPlan& plan, const Tensor& values);
  bool may_change(const SegmentPlan& plan, FlatRange range, std::size_t first_open, std::size_t last_open) const;
  bool finish_step(const SegmentStep& step, const Tensor& values);
  void add_copies(const SegmentStep& step, const Tensor& values);
  void move_sends(const Tensor& values);
  std::byte* slot(int number) const;

  Messages& messages_;
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
  std::vector<std::pair<int, const void*>> copies_;  // with their ranks
  std::vector<const void*> sources_;
};

}  // namespace lockstep
