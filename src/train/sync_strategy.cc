#include "train/sync_strategy.h"

namespace lockstep {
namespace {

std::unique_ptr<GradientReducer> make_reducer(Communicator& communicator, const Replica& replica,
                                              const SyncOptions& options) {
  const ParameterStore& parameters = replica.parameters();
  const Tensor gradients = parameters.gradients_with_headroom();
  if (!options.micro_shards) {
    return make_bucket_reducer(communicator, replica.backend(), gradients, parameters.headroom(),
                               options.bucket_elements, options.accumulated_shares);
  }
  const TreePlan plan(*options.micro_shards, communicator.size());
  return make_tree_reducer(communicator, replica.backend(), plan, gradients, parameters.headroom(),
                           options.bucket_elements);
}

class SyncStrategy final : public Strategy {
 public:
  SyncStrategy(Communicator& communicator, Trace& trace, Replica& replica, const SyncOptions& options)
      : communicator_(communicator),
        trace_(trace),
        replica_(replica),
        reducer_(make_reducer(communicator, replica, options)) {}

  void start() override { replica_.start_from_chief(communicator_); }

  int shares() const override { return reducer_->shares(); }

  void begin_step(std::int64_t step) override {
    step_ = step;
    share_ = -1;
  }

  // The words in front of the gradients are summed like gradients, over shares and ranks.
  void add_share(const ControlValues& share) override {
    ++share_;
    replica_.write_control(share);
  }

  void on_gradient_ready(FlatRange range) override {
    const auto phase = trace_.enter(Phase::communicate);
    reducer_->ready(share_, range);
  }

  StepResult finish_step(double learning_rate) override {
    {
      const auto phase = trace_.enter(Phase::communicate);
      reducer_->finish();
    }
    StepResult result{.sums = replica_.read_control()};
    result.gradient_norm = replica_.update(step_, learning_rate, result.sums, Scope::every_rank);
    return result;
  }

  bool agreed() const override { return true; }
  void meet() override {}
  bool own_optimizer_state() const override { return false; }

 private:
  Communicator& communicator_;
  Trace& trace_;
  Replica& replica_;
  std::unique_ptr<GradientReducer> reducer_;
  std::int64_t step_ = 0;
  int share_ = -1;
};

}  // namespace

std::unique_ptr<Strategy> make_sync_strategy(Communicator& communicator, Trace& trace, Replica& replica,
                                             const SyncOptions& options) {
  return std::make_unique<SyncStrategy>(communicator, trace, replica, options);
}

}  // namespace lockstep
