#include "collective/wire/plan_executor.h"

#include <algorithm>
#include <numeric>

#include "collective/sum_kernels.h"
#include "tensor/host_bytes.h"

namespace lockstep {
namespace {

constexpr int kPlanTags = 1000;            // that Messages have
constexpr std::size_t kReceivesAhead = 8;  // or more, if one step has more
constexpr std::size_t kSendsUnderWay = 8;  // to each peer

bool overlaps(FlatRange a, FlatRange b) { return a.begin < b.end && b.begin < a.end; }

int nth(RankRun run, int number, int ranks) { return (run.first + number) % ranks; }

bool adds(const SegmentStep& step) { return step.from.count > 0 && step.received == SegmentStep::Received::added; }

}  // namespace

PlanExecutor::PlanExecutor(Messages& messages)
    : messages_(messages), peers_(static_cast<std::size_t>(messages.size())) {}

void PlanExecutor::run(const SegmentPlan& plan, const Tensor& values) {
  tag_ = (tag_ + 1) % kPlanTags;
  prepared_ = 0;
  finished_ = 0;
  make_room(plan, values);
  while (finished_ < plan.size() || !sending_to_.empty()) {
    start_receives(plan, values);
    while (finished_ < prepared_ && finish_step(plan[finished_], values)) ++finished_;
    move_sends(values);
  }
}

void PlanExecutor::make_room(const SegmentPlan& plan, const Tensor& values) {
  std::int64_t longest = 0;
  std::size_t slots = kReceivesAhead;
  for (const SegmentStep& step : plan) {
    if (!adds(step)) continue;
    longest = std::max(longest, step.range.count());
    slots = std::max(slots, static_cast<std::size_t>(step.from.count));
  }
  slot_bytes_ = (static_cast<std::size_t>(longest) * size_of(values.dtype()) + 63) / 64 * 64;
  if (room_.bytes() < slots * slot_bytes_) {
    room_ = Buffer();  // never both at once
    room_ = allocator_.allocate(slots * slot_bytes_);
  }
  free_slots_.resize(slots);
  std::iota(free_slots_.begin(), free_slots_.end(), 0);
}

std::byte* PlanExecutor::slot(int number) const {
  return static_cast<std::byte*>(room_.data()) + static_cast<std::size_t>(number) * slot_bytes_;
}

void PlanExecutor::start_receives(const SegmentPlan& plan, const Tensor& values) {
  for (; prepared_ < plan.size(); ++prepared_) {
    const SegmentStep& step = plan[prepared_];
    if (adds(step)) {
      if (free_slots_.size() < static_cast<std::size_t>(step.from.count)) return;
    } else if (step.from.count > 0) {
      if (receives_.size() >= kReceivesAhead || !may_change(plan, step.range, finished_, prepared_)) return;
    }
    const std::span<std::byte> in_place = host_bytes(values.flat(step.range));
    for (int number = 0; number < step.from.count; ++number) {
      Receive receive{.from = nth(step.from, number, messages_.size())};
      std::span<std::byte> into = in_place;
      if (adds(step)) {
        receive.slot = free_slots_.back();
        free_slots_.pop_back();
        into = {slot(receive.slot), in_place.size()};
      }
      receive.started = messages_.receive(receive.from, tag_, into);
      receives_.push_back(receive);
    }
  }
}

// Returns whether no send that is not done and none of the steps [first_open, last_open) needs the values.
bool PlanExecutor::may_change(const SegmentPlan& plan, FlatRange range, std::size_t first_open,
                              std::size_t last_open) const {
  for (std::size_t step = first_open; step < last_open; ++step) {
    if (overlaps(plan[step].range, range)) return false;
  }
  return std::ranges::none_of(sending_to_, [&](int rank) {
    return std::ranges::any_of(peers_[static_cast<std::size_t>(rank)].sends,
                               [&](const Send& send) { return overlaps(send.range, range); });
  });
}

// Returns whether the step is finished; false if something of it is still under way.
bool PlanExecutor::finish_step(const SegmentStep& step, const Tensor& values) {
  const auto own = receives_.begin();
  if (!std::all_of(own, own + step.from.count, [&](const Receive& receive) { return messages_.done(receive.started); }))
    return false;
  if (adds(step)) {
    if (!may_change({}, step.range, 0, 0)) return false;
    add_copies(step, values);
  }
  receives_.erase(own, own + step.from.count);
  for (int number = 0; number < step.to.count; ++number) {
    const int to = nth(step.to, number, messages_.size());
    Peer& peer = peers_[static_cast<std::size_t>(to)];
    if (peer.sends.empty()) sending_to_.push_back(to);
    peer.sends.push_back({step.range, {}});
  }
  return true;
}

void PlanExecutor::add_copies(const SegmentStep& step, const Tensor& values) {
  void* const sum = values.flat(step.range).data();
  copies_.assign(1, {messages_.rank(), sum});
  for (int number = 0; number < step.from.count; ++number) {
    const Receive& receive = receives_[static_cast<std::size_t>(number)];
    copies_.emplace_back(receive.from, slot(receive.slot));
    free_slots_.push_back(receive.slot);
  }
  std::ranges::sort(copies_, {}, &std::pair<int, const void*>::first);
  sources_.clear();
  for (const auto& [rank, copy] : copies_) sources_.push_back(copy);
  sum_into(values.dtype(), sources_, {&sum, 1}, step.range.count());
}

void PlanExecutor::move_sends(const Tensor& values) {
  std::erase_if(sending_to_, [&](int to) {
    Peer& peer = peers_[static_cast<std::size_t>(to)];
    while (peer.started > 0 && messages_.done(peer.sends.front().started)) {
      peer.sends.pop_front();
      --peer.started;
    }
    for (; peer.started < std::min(peer.sends.size(), kSendsUnderWay); ++peer.started) {
      Send& send = peer.sends[peer.started];
      send.started = messages_.send(to, tag_, host_bytes(values.flat(send.range)));
    }
    return peer.sends.empty();
  });
}

}  // namespace lockstep
