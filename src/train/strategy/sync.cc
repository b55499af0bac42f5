#include "train/strategy/sync.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "train/strategy/control_exchange.h"
#include "train/strategy/step_calls.h"

namespace lockstep {
namespace {

std::unique_ptr<GradientReducer> make_reducer(Communicator& communicator, const Replica& replica,
                                              const SyncOptions& options) {
  const Tensor gradients = replica.parameters().gradients();
  if (!options.micro_shards) {
    return make_bucket_reducer(communicator, replica.backend(), gradients, options.bucket_elements,
                               options.accumulated_shares);
  }
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const TreePlan plan(*options.micro_shards, options.owners.empty() ? std::vector<bool>(ranks, true) : options.owners);
  return make_tree_reducer(communicator, replica.backend(), plan, gradients, options.bucket_elements);
}

class SyncStrategy final : public Strategy {
 public:
  SyncStrategy(Communicator& communicator, Trace& trace, Replica& replica, const SyncOptions& options)
      : communicator_(communicator),
        trace_(trace),
        replica_(replica),
        options_(options),
        reducer_(make_reducer(communicator, replica, options)),
        control_(communicator, replica.backend()),
        calls_(reducer_->shares()) {}

  std::string description() const override {
    const double megabytes = static_cast<double>(options_.bucket_elements) * sizeof(float) / (1 << 20);
    const std::string exact =
        options_.micro_shards ? fmt::format("--exact, {}; ", counted(*options_.micro_shards, "micro-shard")) : "";
    if (communicator_.size() == 1) return exact + "one rank, no exchange of gradients";
    return fmt::format("{}gradients are summed over {} in buckets of {} MB, {}", exact, communicator_.name(), megabytes,
                       options_.overlap == Overlap::thread ? "by a second thread while the backward pass goes on"
                                                           : "each as soon as the backward pass has filled it");
  }

  void start() override { replica_.start_from_chief(communicator_); }

  int shares() const override { return reducer_->shares(); }

  void begin_step(std::int64_t step) override {
    step_ = step;
    calls_.begin();
    control_.begin();
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
    const Replica::Update made = replica_.update(step_, learning_rate, sums, Scope::every_rank);
    return {.sums = sums, .gradient_norm = made.gradient_norm, .gradient_factor = made.gradient_factor};
  }

  bool agreed() const override { return true; }
  void meet() override {}
  bool own_optimizer_state() const override { return false; }

 private:
  ControlValues finish_exchange() {
    const auto phase = trace_.enter(Phase::communicate);
    if (shares() == 0) control_.start();  // as everywhere, before the first bucket
    reducer_->finish();
    return control_.finish();
  }

  Communicator& communicator_;
  Trace& trace_;
  Replica& replica_;
  SyncOptions options_;
  std::unique_ptr<GradientReducer> reducer_;
  ControlExchange control_;
  StepCalls calls_;
  std::int64_t step_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_sync_strategy(Communicator& communicator, Trace& trace, Replica& replica,
                                             const SyncOptions& options) {
  return std::make_unique<SyncStrategy>(communicator, trace, replica, options);
}

StrategyKind sync_strategy() {
  const auto make = [](const StrategyParts& parts) {
    const double elements = parts.settings.fusion_mb.value() * (1 << 20) / sizeof(float);
    return make_sync_strategy(parts.communicator, parts.trace, parts.replica,
                              {.bucket_elements = std::max<std::int64_t>(static_cast<std::int64_t>(elements), 1),
                               .micro_shards = parts.plan.micro_shards,
                               .owners = parts.plan.owners,
                               .accumulated_shares = parts.plan.own_shares,
                               .overlap = overlap_of(parts.settings)});
  };
  return {.make = make,
          .settings = {"fusion_mb", "overlap"},
          .aliases = {{"MultiWorkerMirroredStrategy"},
                      {"CollectiveAllReduceStrategy"},  // its name in older versions
                      {"MirroredStrategy", StrategyReach::one_host},
                      {"OneDeviceStrategy", StrategyReach::one_rank},
                      {"DefaultStrategy", StrategyReach::one_rank}}};
}

}  // namespace lockstep
