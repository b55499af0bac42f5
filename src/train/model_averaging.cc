#include "train/model_averaging.h"

#include "collective/gradient_accumulator.h"

namespace lockstep {
namespace {

// The store without the model's constants, whose mean would only be rounded: as few ranges as can be.
std::vector<FlatRange> learned_ranges(const ParameterTable& table) {
  std::vector<FlatRange> ranges;
  const int count = static_cast<int>(table.variables().size());
  for (int i = 0; i < count; ++i) {
    if (!table[i].trainable) continue;
    const FlatRange range = table.padded(i, i + 1);
    if (!ranges.empty() && ranges.back().end == range.begin) {
      ranges.back().end = range.end;
    } else {
      ranges.push_back(range);
    }
  }
  return ranges;
}

class ModelAveraging final : public Strategy {
 public:
  ModelAveraging(Communicator& communicator, Trace& trace, Replica& replica, const ModelAveragingOptions& options)
      : communicator_(communicator),
        trace_(trace),
        replica_(replica),
        sync_every_(options.sync_every),
        learned_(learned_ranges(replica.parameters().table())),
        accumulator_(replica.backend(), replica.parameters().gradients_with_headroom(), replica.parameters().headroom(),
                     options.accumulated_shares) {}

  void start() override { replica_.start_from_chief(communicator_); }

  int shares() const override { return accumulator_.shares(); }
  void begin_step(std::int64_t step) override {
    step_ = step;
    share_ = -1;
  }
  void add_share(const ControlValues& share) override {
    ++share_;
    replica_.write_control(share);
  }
  void on_gradient_ready(FlatRange range) override { accumulator_.add(share_, range); }

  StepResult finish_step(double learning_rate) override {
    StepResult result{.sums = replica_.read_control(), .local = true};
    result.gradient_norm = replica_.update(step_, learning_rate, result.sums, Scope::this_rank);
    agreed_ = false;
    if (step_ % sync_every_ == 0) {
      meet();
      result.sums = sum_over_ranks();
      result.local = false;
    }
    return result;
  }

  bool agreed() const override { return agreed_; }
  bool own_optimizer_state() const override { return communicator_.size() > 1 && !replica_.slots().empty(); }

  void meet() override {
    const auto phase = trace_.enter(Phase::communicate);
    for (const FlatRange range : learned_) {
      const Tensor values = replica_.parameters().values().flat(range);
      communicator_.wait(communicator_.all_reduce(values, replica_.backend().record()));
      replica_.backend().scale(values, 1.0 / communicator_.size());
    }
    agreed_ = true;
  }

 private:
  ControlValues sum_over_ranks() {
    const auto phase = trace_.enter(Phase::communicate);
    const Tensor words = replica_.parameters().gradients_with_headroom().flat({0, ControlValues::kWords});
    communicator_.wait(communicator_.all_reduce(words, replica_.backend().record()));
    return replica_.read_control();
  }

  Communicator& communicator_;
  Trace& trace_;
  Replica& replica_;
  std::int64_t sync_every_;
  std::vector<FlatRange> learned_;
  GradientAccumulator accumulator_;
  std::int64_t step_ = 0;
  int share_ = -1;
  bool agreed_ = true;
};

}  // namespace

std::unique_ptr<Strategy> make_model_averaging(Communicator& communicator, Trace& trace, Replica& replica,
                                               const ModelAveragingOptions& options) {
  return std::make_unique<ModelAveraging>(communicator, trace, replica, options);
}

}  // namespace lockstep
