#include "collective/wire/wire_communicator.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "collective/host_values.h"
#include "collective/slices.h"
#include "collective/tree_sum.h"
#include "collective/wire/plan_executor.h"
#include "collective/wire/segment_plan.h"
#include "collective/wire/summands.h"

namespace lockstep {
namespace {

// The most that a message carries, as measured over four hosts at 1 Gbit/s (bench/README.md).
constexpr std::int64_t kSegmentBytes = 128 << 10;

// Not a split's number (base/trace.h): those are counted from 1, and shm has 0.
constexpr std::uint32_t kWireSplit = 0xffffffff;

class WireCommunicator final : public Communicator {
 public:
  WireCommunicator(std::unique_ptr<Communicator> group, std::unique_ptr<Messages> messages, Trace& trace,
                   SumOrder order, int number, std::string details)
      : group_(std::move(group)),
        messages_(std::move(messages)),
        trace_(trace),
        membership_(trace, split_group(kWorldGroup, kWireSplit, number)),
        order_(order),
        executor_(*messages_),
        details_(std::move(details)) {
    LS_CHECK(messages_->rank() == rank() && messages_->size() == size(), "messages between other ranks");
  }

  const char* name() const override { return "ring"; }
  bool scatters_alike() const override { return keeps_order(order_, size()); }
  std::string details() const override { return details_; }
  int rank() const override { return group_->rank(); }
  int size() const override { return group_->size(); }
  Allocator& allocator() override { return group_->allocator(); }
  Allocator* common_memory() override { return group_->common_memory(); }

  Ticket all_reduce(const Tensor& values, Event after) override {
    check_summable(values, after);
    return run(Operation::all_reduce, values, all_reduce_plan(values));
  }

  Ticket reduce_scatter(const Tensor& values, std::span<const FlatRange> slices, Event after) override {
    check_summable(values, after);
    check_slices(values.count(), slices, size());
    return run(Operation::reduce_scatter, values, sliced_plan(PlanPart::reduce_scatter, values, slices));
  }

  Ticket all_gather(const Tensor& values, std::span<const FlatRange> slices, Event after) override {
    check_home(values, after);
    check_slices(values.count(), slices, size());
    return run(Operation::all_gather, values, sliced_plan(PlanPart::all_gather, values, slices));
  }

  Ticket broadcast(const Tensor& values, int root, Event after) override {
    return group_->broadcast(values, root, after);
  }
  Ticket tree_all_reduce(const TreePlan& plan, std::span<const Tensor> parts, const Tensor& result) override {
    if (size() == 1) return group_->tree_all_reduce(plan, parts, result);
    check_summable(result);
    check_tree(plan, parts, result, rank(), size(), fmt::format("rank {} of {} ({})", rank(), size(), name()));
    for (const Tensor& part : parts) check_summable(part);
    const auto scope = begin(Operation::tree_all_reduce, result);
    TreeSummands summands(plan, parts, result);
    const auto slices = equal_slices(result.count(), size());
    executor_.run(direct_plan(PlanPart::all_reduce, slices, rank(), segment(result)), summands, result);
    return {};
  }
  void wait(Ticket ticket) override { group_->wait(ticket); }
  void barrier() override { group_->barrier(); }
  void broadcast(std::span<std::byte> bytes, int root) override { group_->broadcast(bytes, root); }
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override { group_->all_gather(mine, all); }
  void exchange(std::span<const SendPiece> sends, std::span<const ReceivePiece> receives) override {
    group_->exchange(sends, receives);
  }
  std::unique_ptr<Communicator> split(int color, int key) override { return group_->split(color, key); }

  void close() override {
    messages_->close();
    group_->close();
  }
  void abandon() noexcept override { group_->abandon(); }

 private:
  static bool half_width(const Tensor& values) { return size_of(values.dtype()) == 2; }
  static std::int64_t segment(const Tensor& values) {
    return kSegmentBytes / static_cast<std::int64_t>(size_of(values.dtype()));
  }

  SegmentPlan all_reduce_plan(const Tensor& values) const {
    const std::int64_t count = values.count();
    switch (choose_plan(static_cast<std::int64_t>(values.bytes()), half_width(values), size(), order_)) {
      case SumPlan::one_round:
        return one_round_plan(count, size(), rank(), segment(values));
      case SumPlan::doubling:
        return doubling_plan(count, size(), rank(), segment(values));
      case SumPlan::halving:
        return halving_plan(count, size(), rank(), segment(values));
      case SumPlan::ring:
      case SumPlan::direct:
        break;
    }
    return sliced_plan(PlanPart::all_reduce, values, equal_slices(count, size()));
  }

  SegmentPlan sliced_plan(PlanPart part, const Tensor& values, std::span<const FlatRange> slices) const {
    const bool direct = keeps_order(order_, size()) || half_width(values);
    return (direct ? direct_plan : ring_plan)(part, slices, rank(), segment(values));
  }

  Trace::OperationScope begin(Operation operation, const Tensor& values) {
    return trace_.begin(operation, static_cast<std::int64_t>(values.bytes()), membership_.group());
  }

  Ticket run(Operation operation, const Tensor& values, const SegmentPlan& plan) {
    const auto scope = begin(operation, values);
    executor_.run(plan, values);
    return {};
  }

  std::unique_ptr<Communicator> group_;
  std::unique_ptr<Messages> messages_;
  Trace& trace_;
  Trace::Membership membership_;
  SumOrder order_;
  PlanExecutor executor_;
  std::string details_;
};

}  // namespace

std::unique_ptr<Communicator> make_wire_communicator(std::unique_ptr<Communicator> group,
                                                     std::unique_ptr<Messages> messages, Trace& trace, SumOrder order,
                                                     int number, std::string details) {
  return std::make_unique<WireCommunicator>(std::move(group), std::move(messages), trace, order, number,
                                            std::move(details));
}

}  // namespace lockstep
