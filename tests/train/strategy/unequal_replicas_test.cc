// A strategy whose replicas are never equal by themselves: a run with it still saves, evaluates and stops, since the
// trainer makes them meet first.
#include <doctest/doctest.h>

#include <atomic>

#include "train/strategy/sync.h"
#include "train/train_rank.h"

namespace lockstep {
namespace {

// Trains like `sync`, and fills the values with this rank's number between steps.
class UnequalReplicas final : public Strategy {
 public:
  UnequalReplicas(std::unique_ptr<Strategy> sync, const StrategyParts& parts)
      : sync_(std::move(sync)),
        backend_(parts.replica.backend()),
        values_(parts.replica.parameters().values()),
        kept_memory_(backend_.allocator().allocate(values_.bytes())),
        kept_(view(kept_memory_, values_.dtype(), {values_.count()})),
        rank_(parts.communicator.rank()) {}

  std::string description() const override { return "replicas that differ"; }
  void start() override { sync_->start(); }
  int shares() const override { return sync_->shares(); }
  void begin_step(std::int64_t step, std::int64_t requests) override {
    meet();
    sync_->begin_step(step, requests);
  }
  void add_share(const ControlValues& share) override { sync_->add_share(share); }
  void on_gradient_ready(FlatRange range) override { sync_->on_gradient_ready(range); }
  StepResult finish_step(double learning_rate) override {
    const StepResult result = sync_->finish_step(learning_rate);
    backend_.copy(values_, kept_);
    backend_.fill(values_, rank_);
    equal_ = false;
    return result;
  }
  bool replicas_equal() const override { return equal_; }
  bool can_pause() const override { return true; }
  void meet() override {
    if (!equal_) backend_.copy(kept_, values_);
    equal_ = true;
  }
  int replica_states() const override { return sync_->replica_states(); }
  void copy_state(StateArrays& arrays) const override { sync_->copy_state(arrays); }
  void restore_state(StateArrays& arrays, SavedSlots saved) const override { sync_->restore_state(arrays, saved); }

 private:
  std::unique_ptr<Strategy> sync_;
  Backend& backend_;
  Tensor values_;
  Buffer kept_memory_;
  Tensor kept_;
  int rank_;
  bool equal_ = true;
};

Registry with_unequal_replicas() {
  Registry registry = builtin_registry();
  StrategyKind kind = sync_strategy();
  kind.aliases.clear();
  kind.make = [make = kind.make](const StrategyParts& parts) -> std::unique_ptr<Strategy> {
    return std::make_unique<UnequalReplicas>(make(parts), parts);
  };
  registry.strategies.add("unequal", "Replicas that differ between the steps", kind);
  return registry;
}

TrainSettings settings_of(const std::string& strategy) {
  TrainSettings settings = small_settings();
  settings.strategy = strategy;
  settings.eval_frequency = 7;
  return settings;
}

}  // namespace

TEST_CASE("replicas that are never equal by themselves are evaluated and saved as those that are") {
  const Registry registry = with_unequal_replicas();
  for_rank_contexts([&](RankContext& rank) {
    const TestRun equal = train_rank(rank, settings_of("sync"), registry);
    const TestRun unequal = train_rank(rank, settings_of("unequal"), registry);
    CHECK(unequal.outcome.parameters_sha256 == equal.outcome.parameters_sha256);
    CHECK(unequal.outcome.evaluation["loss"].mean == equal.outcome.evaluation["loss"].mean);
    CHECK(unequal.losses == equal.losses);
  });
}

TEST_CASE("a run of replicas that are never equal stops when it is asked, and resumes to the same end") {
  const Registry registry = with_unequal_replicas();
  for_rank_contexts([&](RankContext& rank) {
    const TestRun whole = train_rank(rank, settings_of("unequal"), registry);
    const SharedFolder folder(rank.communicator);
    TrainSettings settings = settings_of("unequal");
    settings.output_dir = folder.path();
    const std::atomic<bool> stop = true;
    const TestRun first = train_rank(rank, settings, registry, &stop);
    CHECK(first.outcome.stopped);
    CHECK(first.outcome.step == 1);
    CHECK(train_rank(rank, settings, registry).outcome.parameters_sha256 == whole.outcome.parameters_sha256);
    rank.communicator.barrier();  // the folder is in use up to here
  });
}

}  // namespace lockstep
