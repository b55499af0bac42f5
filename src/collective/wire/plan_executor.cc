#include "collective/wire/plan_executor.h"

#include <algorithm>
#include <numeric>

#include "collective/slices.h"
#include "tensor/host_bytes.h"

namespace lockstep {
namespace {

constexpr int kPlanTags = 1000;            // that Messages have
constexpr std::size_t kReceivesAhead = 8;  // or twice as many as one step has
constexpr std::size_t kSendsUnderWay = 8;  // to each peer

bool overlaps(FlatRange a, FlatRange b) { return a.begin < b.end && b.begin < a.end; }

int nth(RankRun run, int number, int ranks) { return (run.first + number) % ranks; }

bool adds(const SegmentStep& step) { return step.from.count > 0 && step.received == SegmentStep::Received::added; }

}  // namespace

PlanExecutor::PlanExecutor(Messages& messages)
    : messages_(messages), peers_(static_cast<std::size_t>(messages.size())) {}

void PlanExecutor::run(const SegmentPlan& plan, const Tensor& values) {
  RankSummands summands(values);
  run(plan, summands, values);
}

void PlanExecutor::run(const SegmentPlan& plan, Summands& summands, const Tensor& values) {
  summands_ = &summands;
  tag_ = (tag_ + 1) % kPlanTags;
  prepared_ = 0;
  finished_ = 0;
  make_room(plan, values);
  while (finished_ < plan.size() || !sending_to_.empty()) {
    start_receives(plan, values);
    while (finished_ < prepared_ && finish_step(plan[finished_], values)) ++finished_;
    move_sends();
  }
}

int PlanExecutor::receives_of(const SegmentStep& step) const {
  if (!adds(step)) return step.from.count;
  int receives = 0;
  for (int number = 0; number < step.from.count; ++number) {
    receives += summands_->copies(nth(step.from, number, messages_.size()));
  }
  return receives;
}

void PlanExecutor::make_room(const SegmentPlan& plan, const Tensor& values) {
  std::int64_t longest = 0;
  std::size_t slots = kReceivesAhead;
  for (const SegmentStep& step : plan) {
    if (!adds(step)) continue;
    longest = std::max(longest, step.range.count());
    slots = std::max(slots, 2 * static_cast<std::size_t>(receives_of(step)));
  }
  const std::size_t bytes = static_cast<std::size_t>(longest) * size_of(values.dtype());
  slot_bytes_ = (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
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
      if (free_slots_.size() < static_cast<std::size_t>(receives_of(step))) return;
    } else if (step.from.count > 0) {
      if (receives_.size() >= kReceivesAhead || is_needed(plan, step.range) || is_being_sent(step.range)) return;
    }
    for (int number = 0; number < step.from.count; ++number) {
      start_receive(nth(step.from, number, messages_.size()), step, values);
    }
  }
}

void PlanExecutor::start_receive(int from, const SegmentStep& step, const Tensor& values) {
  const std::span<std::byte> in_place = host_bytes(values.flat(step.range));
  if (!adds(step)) {
    receives_.push_back({.from = from, .slot = 0, .started = messages_.receive(from, tag_, in_place)});
    return;
  }
  for (int copy = 0; copy < summands_->copies(from); ++copy) {
    const int into = free_slots_.back();
    free_slots_.pop_back();
    receives_.push_back(
        {.from = from, .slot = into, .started = messages_.receive(from, tag_, {slot(into), in_place.size()})});
  }
}

// Returns whether a send of some of the values is not done.
bool PlanExecutor::is_being_sent(FlatRange range) const {
  return std::ranges::any_of(sending_to_, [&](int rank) {
    return std::ranges::any_of(peers_[static_cast<std::size_t>(rank)].sends,
                               [&](const Send& send) { return overlaps(send.range, range); });
  });
}

// Returns whether a step whose receives were started still needs some of the values.
bool PlanExecutor::is_needed(const SegmentPlan& plan, FlatRange range) const {
  const auto open = std::span(plan).subspan(finished_, prepared_ - finished_);
  return std::ranges::any_of(open, [&](const SegmentStep& step) { return overlaps(step.range, range); });
}

// Returns whether the step is finished; false if something of it is still under way.
bool PlanExecutor::finish_step(const SegmentStep& step, const Tensor& values) {
  const auto first = receives_.begin();
  const auto last = first + receives_of(step);
  if (!std::all_of(first, last, [&](const Receive& receive) { return messages_.done(receive.started); })) return false;
  if (adds(step)) {
    if (is_being_sent(step.range)) return false;
    add_arrays(step, values);
  }
  receives_.erase(first, last);
  send_on(step, values);
  return true;
}

void PlanExecutor::add_arrays(const SegmentStep& step, const Tensor& values) {
  const std::size_t bytes = host_bytes(values.flat(step.range)).size();
  by_rank_.clear();
  for (int copy = 0; copy < summands_->copies(messages_.rank()); ++copy) {
    by_rank_.emplace_back(messages_.rank(), host_bytes(summands_->own(copy).flat(step.range)));
  }
  for (auto receive = receives_.begin(); receive != receives_.begin() + receives_of(step); ++receive) {
    by_rank_.emplace_back(receive->from, std::span(slot(receive->slot), bytes));
    free_slots_.push_back(receive->slot);
  }
  std::ranges::stable_sort(by_rank_, {}, [](const auto& array) { return array.first; });
  arrays_.clear();
  for (const auto& [rank, array] : by_rank_) arrays_.push_back(array);
  summands_->add(step.range, arrays_);
}

// Queues what a step sends: the values that it has changed or, if it has received nothing, what this rank brings.
void PlanExecutor::send_on(const SegmentStep& step, const Tensor& values) {
  const bool brings = step.from.count == 0;
  const int copies = brings ? summands_->copies(messages_.rank()) : 1;
  for (int number = 0; number < step.to.count && copies > 0; ++number) {
    const int to = nth(step.to, number, messages_.size());
    Peer& peer = peers_[static_cast<std::size_t>(to)];
    if (peer.sends.empty()) sending_to_.push_back(to);
    for (int copy = 0; copy < copies; ++copy) {
      const Tensor& from = brings ? summands_->own(copy) : values;
      peer.sends.push_back({.range = step.range, .bytes = host_bytes(from.flat(step.range)), .started = {}});
    }
  }
}

void PlanExecutor::move_sends() {
  std::erase_if(sending_to_, [&](int to) {
    Peer& peer = peers_[static_cast<std::size_t>(to)];
    while (peer.started > 0 && messages_.done(peer.sends.front().started)) {
      peer.sends.pop_front();
      --peer.started;
    }
    for (; peer.started < std::min(peer.sends.size(), kSendsUnderWay); ++peer.started) {
      Send& send = peer.sends[peer.started];
      send.started = messages_.send(to, tag_, send.bytes);
    }
    return peer.sends.empty();
  });
}

}  // namespace lockstep
