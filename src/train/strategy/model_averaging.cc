#include "train/strategy/model_averaging.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "base/counted.h"
#include "collective/gradient_accumulator.h"
#include "tensor/flat_ranges.h"
#include "train/strategy/control_exchange.h"
#include "train/strategy/slot_copy.h"
#include "train/strategy/step_calls.h"

namespace lockstep {
namespace {

// The ranges of the store without the model's constants, whose mean would only be rounded; as few as possible.
std::vector<FlatRange> learned_ranges(const ParameterTable& table) {
  std::vector<FlatRange> ranges;
  const int count = static_cast<int>(table.variables().size());
  for (int i = 0; i < count; ++i) {
    if (!table[i].trainable) continue;
    append(ranges, table.padded(i, i + 1));
  }
  return ranges;
}

std::vector<int> all_ranks(const Communicator& communicator) {
  std::vector<int> ranks(static_cast<std::size_t>(communicator.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

class ModelAveraging final : public Strategy {
 public:
  ModelAveraging(Communicator& communicator, Trace& trace, Replica& replica, const ModelAveragingOptions& options)
      : communicator_(communicator),
        trace_(trace),
        replica_(replica),
        interval_(options.interval),
        learners_(options.learners.empty() ? all_ranks(communicator) : options.learners),
        learned_(learned_ranges(replica.parameters().table())),
        accumulator_(replica.backend(), replica.parameters().gradients(), options.accumulated_shares),
        control_(communicator, replica.backend()),
        calls_(accumulator_.shares()) {
    replica.own_all();
  }

  std::string description() const override {
    if (communicator_.size() == 1) return "one rank, nothing to average";
    return fmt::format("replicas take their mean over {} every {}", communicator_.name(), counted(interval_, "step"));
  }

  void start() override { replica_.start_from_chief(communicator_); }

  int shares() const override { return accumulator_.shares(); }
  void begin_step(std::int64_t step, std::int64_t requests) override {
    step_ = step;
    calls_.begin();
    control_.begin(requests);
  }
  void add_share(const ControlValues& share) override {
    calls_.add_share();
    control_.add(share);
  }
  void on_gradient_ready(FlatRange range) override { accumulator_.add(calls_.gradients(range), range); }

  StepResult finish_step(double learning_rate) override {
    calls_.finish();
    const ControlValues own = control_.own();
    learned_something_ |= own.weight > 0;
    if (results_are_late()) return finish_late(learning_rate, own);
    const Replica::Update made = replica_.update(step_, learning_rate, own, Scope::this_rank);
    StepResult result{.step = step_,
                      .requests = own.requests,
                      .sums = own,
                      .gradient_norm = made.gradient_norm,
                      .gradient_factor = made.gradient_factor,
                      .local = true};
    equal_ = false;
    if (meets_after(step_)) {
      meet();
      result.sums = sum_over_ranks();
      result.requests = result.sums.requests;
      result.local = false;
    }
    return result;
  }

  bool results_are_late() const override { return replica_.backend().device().kind != Device::Kind::cpu; }

  StepResult finish_last(double loss) override { return late_result(loss); }

  bool replicas_equal() const override { return equal_; }
  bool can_pause() const override { return equal_; }  // a meeting between two others would change what is trained

  int replica_states() const override {
    return communicator_.size() > 1 && !replica_.slots().empty() ? static_cast<int>(learners_.size()) : 0;
  }
  void copy_state(StateArrays& arrays) const override {
    if (replica_states() == 0) return copy_slots(replica_, communicator_, arrays);
    copy_each_slots(replica_, communicator_, learners_, arrays);
  }
  void restore_state(StateArrays& arrays, SavedSlots saved) const override {
    if (saved == SavedSlots::one_state) return restore_slots(replica_, communicator_, arrays);
    restore_each_slots(replica_, communicator_, learners_, arrays);
  }

  void meet() override {
    const auto phase = trace_.enter(Phase::communicate);
    const auto everyone = all_gather_value(communicator_, std::uint8_t{learned_something_});
    const auto taught = std::ranges::count(everyone, 1);
    for (const FlatRange range : learned_) {
      if (taught == 0) break;  // no rank has moved
      const Tensor values = replica_.parameters().values().flat(range);
      if (!learned_something_) replica_.backend().fill(values, 0);
      communicator_.wait(communicator_.all_reduce(values, replica_.backend().record()));
      replica_.backend().scale(values, 1.0 / static_cast<double>(taught));
    }
    equal_ = true;
    learned_something_ = false;
  }

 private:
  bool meets_after(std::int64_t step) const { return step % interval_ == 0; }

  // own: the loss of the step before, and the weight and the requests of this one.
  StepResult finish_late(double learning_rate, const ControlValues& own) {
    StepResult result = late_result(own.loss);
    weight_ = own.weight;
    replica_.apply(step_, learning_rate, replica_.begin_late_update(step_, weight_),
                   {0, replica_.parameters().table().padded_count()});
    equal_ = false;
    result.requests = own.requests;
    if (meets_after(step_)) {
      meet();
      result.requests = sum_over_ranks(own).requests;
    }
    return result;
  }

  // The result of the step begun last. loss: that of this rank's shares. If the step was followed by a meeting, the
  // ranks exchange their losses now.
  StepResult late_result(double loss) {
    const ControlValues own{.loss = loss, .weight = weight_};
    const Replica::LateResult late = replica_.late_result(step_, own, Scope::this_rank);
    StepResult result{.step = late.step,
                      .sums = own,
                      .gradient_norm = late.gradient_norm,
                      .gradient_factor = late.gradient_factor,
                      .local = true};
    if (late.step > 0 && meets_after(late.step)) {
      result.sums = sum_over_ranks(own);
      result.local = false;
    }
    return result;
  }

  ControlValues sum_over_ranks() {
    const auto phase = trace_.enter(Phase::communicate);
    control_.start();
    return control_.finish();
  }
  ControlValues sum_over_ranks(const ControlValues& own) {
    control_.begin(0);
    control_.add(own);
    return sum_over_ranks();
  }

  Communicator& communicator_;
  Trace& trace_;
  Replica& replica_;
  std::int64_t interval_;
  std::vector<int> learners_;
  std::vector<FlatRange> learned_;
  GradientAccumulator accumulator_;
  ControlExchange control_;
  StepCalls calls_;
  std::int64_t step_ = 0;
  double weight_ = 0;  // if results are late: this rank's weight in the step whose result is not known yet
  bool equal_ = true;
  bool learned_something_ = false;  // since the last meeting
};

}  // namespace

std::unique_ptr<Strategy> make_model_averaging(Communicator& communicator, Trace& trace, Replica& replica,
                                               const ModelAveragingOptions& options) {
  return std::make_unique<ModelAveraging>(communicator, trace, replica, options);
}

StrategyKind model_averaging_strategy() {
  const auto make = [](const StrategyParts& parts) {
    return make_model_averaging(parts.communicator, parts.trace, parts.replica,
                                {.interval = parts.settings.sync_every,
                                 .accumulated_shares = parts.plan.own_shares,
                                 .learners = parts.plan.owner_ranks()});
  };
  return {.make = make,
          .settings = {"sync_every"},
          .refused = {{"cuda_graph", "replicas meet in some steps, for each of which a graph would be made anew"},
                      {"exact", "what ranks learn alone depends on how many there are"}},
          .update_batch = UpdateBatch::own_share,
          .meeting_interval = [](const TrainSettings& settings, const HParams&) { return settings.sync_every; },
          .values_place = [](const TrainSettings&) { return ValuesPlace::in_reach; }};
}

}  // namespace lockstep
