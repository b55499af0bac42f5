#include "train/strategy/sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "train/strategy/control_exchange.h"
#include "train/strategy/divided_optimizer.h"
#include "train/strategy/slot_copy.h"
#include "train/strategy/step_calls.h"

namespace lockstep {
namespace {

std::unique_ptr<GradientReducer> make_reducer(Communicator& communicator, const Replica& replica,
                                              const DividedOptimizer* divided, const SyncOptions& options) {
  const Tensor gradients = replica.parameters().gradients();
  if (options.micro_shards) {
    LS_CHECK(options.wire_dtype == DType::float32, "the tree of --exact sums gradients as they are");
    const auto ranks = static_cast<std::size_t>(communicator.size());
    const TreePlan plan(*options.micro_shards,
                        options.owners.empty() ? std::vector<bool>(ranks, true) : options.owners);
    return make_tree_reducer(communicator, replica.backend(), plan, gradients, options.bucket_elements);
  }
  if (divided != nullptr) {
    return make_slice_reducer(communicator, replica.backend(), gradients, divided->buckets(),
                              options.accumulated_shares, options.wire_dtype);
  }
  return make_bucket_reducer(communicator, replica.backend(), gradients, options.bucket_elements,
                             options.accumulated_shares, options.wire_dtype);
}

// Lets ranks that all get all sums compute the norm together: each reads the part of a bucket that it has summed itself
// over shm, which its own cache has. For a smaller model than kLeast it is not worth the exchange, a message between
// hosts.
void share_norm(Communicator& communicator, Trace& trace, Replica& replica, std::int64_t bucket_elements) {
  constexpr std::int64_t kLeast = 1 << 22;  // gradients: 0.35 ms of arithmetic
  const std::int64_t count = replica.parameters().table().padded_count();
  if (communicator.size() == 1 || !replica.sliceable() || count < kLeast) return;
  const auto buckets = slice_buckets(count, bucket_elements, communicator.size(), kSquaresChunk);
  replica.share_norm(communicator, trace, owned_by_rank(buckets, communicator.size()));
}

// A cure for a gradient that is not finite, if the cause may be the type in which it travelled.
std::string_view overflow_cure(const SyncOptions& options, int ranks) {
  if (options.wire_dtype != DType::float16 || ranks == 1) return "";
  return "give --wire_dtype=bfloat16, because sums beyond 65504 are infinite in float16, or ";
}

class SyncStrategy final : public Strategy {
 public:
  SyncStrategy(Communicator& communicator, Trace& trace, Replica& replica, const SyncOptions& options)
      : communicator_(communicator),
        trace_(trace),
        replica_(replica),
        options_(options),
        divided_(options.shard_optimizer ? std::optional<DividedOptimizer>(std::in_place, communicator, trace, replica,
                                                                           options.bucket_elements)
                                         : std::nullopt),
        reducer_(make_reducer(communicator, replica, divided_ ? &*divided_ : nullptr, options)),
        control_(communicator, replica.backend()),
        calls_(reducer_->shares()) {
    if (!divided_) {
      replica.own_all();
      share_norm(communicator, trace, replica, options.bucket_elements);
    }
    reducer_->set_listener([this](std::int64_t begin) {
      const auto phase = trace_.enter(Phase::compute);
      replica_.add_to_norm(begin);
    });
  }

  std::string description() const override {
    const double megabytes = static_cast<double>(options_.bucket_elements) * sizeof(float) / (1 << 20);
    const std::string exact =
        options_.micro_shards ? fmt::format("--exact, {}; ", counted(*options_.micro_shards, "micro-shard")) : "";
    if (communicator_.size() == 1) return exact + "one rank, no exchange of gradients";
    const std::string wire =
        options_.wire_dtype == DType::float32 ? "" : fmt::format(" in {}", name(options_.wire_dtype));
    return fmt::format("{}gradients are summed over {}{} in buckets of {} MB, {}{}", exact, communicator_.name(), wire,
                       megabytes,
                       options_.overlap == Overlap::thread ? "by a second thread while the backward pass goes on"
                                                           : "each as soon as the backward pass has filled it",
                       divided_ ? "; " + divided_->description() : "");
  }

  void start() override { replica_.start_from_chief(communicator_); }

  int shares() const override { return reducer_->shares(); }

  void begin_step(std::int64_t step, std::int64_t requests) override {
    step_ = step;
    calls_.begin();
    control_.begin(requests);
  }

  void add_share(const ControlValues& share) override {
    const bool last = calls_.add_share();
    control_.add(share);
    if (!last) return;
    const auto phase = trace_.enter(Phase::communicate);
    control_.start();
  }

  void on_gradient_ready(FlatRange range) override {
    const auto phase = trace_.enter(Phase::communicate);
    reducer_->ready(calls_.gradients(range), range);
  }

  StepResult finish_step(double learning_rate) override {
    calls_.finish();
    const ControlValues sums = finish_exchange();
    if (results_are_late()) return finish_late(learning_rate, sums);
    const Replica::Update made = replica_.begin_update(step_, sums, Scope::every_rank, cure_);
    apply(learning_rate, made);
    return {.step = step_,
            .requests = sums.requests,
            .sums = sums,
            .gradient_norm = made.gradient_norm,
            .gradient_factor = made.gradient_factor};
  }

  bool results_are_late() const override { return replica_.backend().device().kind != Device::Kind::cpu; }

  StepResult finish_last(double loss) override {
    control_.begin(0);
    control_.add({.loss = loss});
    const auto phase = trace_.enter(Phase::communicate);
    control_.start();
    return late_result(control_.finish().loss);
  }

  bool replicas_equal() const override { return true; }
  bool can_pause() const override { return true; }
  void meet() override {}

  int replica_states() const override { return 0; }
  void copy_state(StateArrays& arrays) const override {
    if (divided_) return divided_->copy_state(arrays);
    copy_slots(replica_, communicator_, arrays);
  }
  void restore_state(StateArrays& arrays, SavedSlots /*saved*/) const override {
    if (divided_) return divided_->restore_state(arrays);
    restore_slots(replica_, communicator_, arrays);
  }

 private:
  void apply(double learning_rate, const Replica::Update& update) {
    if (divided_) return divided_->apply(step_, learning_rate, update);
    replica_.apply(step_, learning_rate, update, {0, replica_.parameters().table().padded_count()});
  }

  // sums: the loss of the step before, and the weight and the requests of this one.
  StepResult finish_late(double learning_rate, const ControlValues& sums) {
    StepResult result = late_result(sums.loss);
    result.requests = sums.requests;
    weight_ = sums.weight;
    apply(learning_rate, replica_.begin_late_update(step_, weight_));
    return result;
  }

  // The result of the step begun last, whose loss this is.
  StepResult late_result(double loss) {
    const ControlValues sums{.loss = loss, .weight = weight_};
    const Replica::LateResult late = replica_.late_result(step_, sums, Scope::every_rank, cure_);
    return {
        .step = late.step, .sums = sums, .gradient_norm = late.gradient_norm, .gradient_factor = late.gradient_factor};
  }

  ControlValues finish_exchange() {
    const auto phase = trace_.enter(Phase::communicate);
    if (shares() == 0) control_.start();  // as on all ranks, before the first bucket
    reducer_->finish();
    const ControlValues sums = control_.finish();
    if (replica_.parameters().common_values()) communicator_.barrier();  // until here others may read the values
    return sums;
  }

  Communicator& communicator_;
  Trace& trace_;
  Replica& replica_;
  SyncOptions options_;
  std::optional<DividedOptimizer> divided_;  // with shard_optimizer
  std::unique_ptr<GradientReducer> reducer_;
  ControlExchange control_;
  StepCalls calls_;
  std::string_view cure_ = overflow_cure(options_, communicator_.size());
  std::int64_t step_ = 0;
  double weight_ = 0;  // if results are late: weight of the step whose result is not known yet
};

}  // namespace

std::unique_ptr<Strategy> make_sync_strategy(Communicator& communicator, Trace& trace, Replica& replica,
                                             const SyncOptions& options) {
  return std::make_unique<SyncStrategy>(communicator, trace, replica, options);
}

StrategyKind sync_strategy() {
  const auto make = [](const StrategyParts& parts) {
    return make_sync_strategy(
        parts.communicator, parts.trace, parts.replica,
        {.bucket_elements = bucket_elements(parts.settings),
         .micro_shards = parts.plan.micro_shards,
         .owners = parts.plan.owners,
         .accumulated_shares = parts.plan.own_shares,
         .overlap = overlap_of(parts.settings),
         .wire_dtype = wire_dtype_of(parts.settings),
         .shard_optimizer = parts.settings.shard_optimizer || parts.replica.parameters().common_values()});
  };
  return {.make = make,
          .settings = {"fusion_mb", "wire_dtype", "overlap", "shard_optimizer"},
          .values_place =
              [](const TrainSettings& settings) {
                return settings.shard_optimizer ? ValuesPlace::in_reach : ValuesPlace::own;
              },
          .aliases = {{"MultiWorkerMirroredStrategy"},
                      {"CollectiveAllReduceStrategy"},  // its name in older versions
                      {"MirroredStrategy", StrategyReach::one_host},
                      {"OneDeviceStrategy", StrategyReach::one_rank},
                      {"DefaultStrategy", StrategyReach::one_rank}}};
}

}  // namespace lockstep
