#include "train/strategy/parameter_server.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "collective/gradient_accumulator.h"
#include "collective/wire_copy.h"
#include "data/missed_first_plan.h"
#include "ps/push_mover.h"
#include "train/strategy/averaged_weights.h"
#include "train/strategy/control_exchange.h"
#include "train/strategy/host_tensors.h"
#include "train/strategy/served_account.h"
#include "train/strategy/slot_copy.h"
#include "train/strategy/step_calls.h"

namespace lockstep {
namespace {

// A cure for a gradient that is not finite, if the cause may be the type in which it travels.
std::string_view served_overflow_cure(DType wire) {
  if (wire != DType::float16) return "";
  return "give --wire_dtype=bfloat16, because numbers beyond 65504 are infinite in float16, or ";
}

class ServedTraining final : public Strategy {
 public:
  explicit ServedTraining(const StrategyParts& parts)
      : communicator_(parts.communicator),
        trace_(parts.trace),
        replica_(parts.replica),
        servers_(*parts.servers),
        average_(parts.average),
        wire_values_(replica_.backend().allocator(), replica_.backend(), replica_.parameters().values(),
                     servers_.wire_dtype),
        wire_gradients_(replica_.backend().allocator(), replica_.backend(), replica_.parameters().gradients(),
                        servers_.wire_dtype),
        values_(replica_.backend(), {wire_values_.tensor()}),
        gradients_(replica_.backend(), {wire_gradients_.tensor()}, overlap_of(parts.settings) == Overlap::thread),
        accumulator_(replica_.backend(), replica_.parameters().gradients(), parts.plan.own_shares),
        control_(communicator_, replica_.backend()),
        calls_(accumulator_.shares()),
        told_(parts.plan.batches->from().step) {
    if (overlap_of(parts.settings) == Overlap::thread) mover_.emplace(servers_.client);
    if (servers_.is_chief) {
      replica_.own_all();  // its slots are those of checkpoints
    } else {
      replica_.own_nothing();
    }
  }

  std::string description() const override { return servers_.description; }

  void start() override {}

  bool steps_in_order() const override { return false; }
  std::optional<std::int64_t> next_step(std::int64_t /*last*/) override {
    const auto phase = trace_.enter(Phase::communicate);
    give_first_state();
    met_ = false;
    ask_account();
    assignment_ = client().take(servers_.stop_signal ? servers_.stop_signal() : std::nullopt);
    hear_news();
    return assignment_ ? std::optional(assignment_->batch) : std::nullopt;
  }
  std::int64_t steps_made(std::int64_t /*last*/) const override { return client().updates(); }
  void end_steps() override {
    give_first_state();
    client().stop();
  }

  int shares() const override { return accumulator_.shares(); }
  void begin_step(std::int64_t step, std::int64_t requests) override {
    LS_CHECK(assignment_ && assignment_->batch == step, "a step that next_step() has not given");
    step_ = step;
    calls_.begin();
    control_.begin(requests);
    const auto phase = trace_.enter(Phase::communicate);
    client().pull(values_.host(0));
    values_.to_device();
    wire_values_.widen(all());
    if (mover_) mover_->begin();
  }
  void add_share(const ControlValues& share) override {
    calls_.add_share();
    control_.add(share);
    if (gradients_.are_copies()) return;
    const auto phase = trace_.enter(Phase::communicate);
    client().wait_pushed();  // the backward pass overwrites the gradients of the step before
  }
  void on_gradient_ready(FlatRange range) override { accumulator_.add(calls_.gradients(range), range); }

  StepResult finish_step(double /*learning_rate*/) override {
    calls_.finish();
    // Norm, factor and histograms are of the gradient that the servers get.
    wire_gradients_.narrowed(all());
    wire_gradients_.widen(all());
    const ControlValues own = control_.own();
    const Replica::Update made = replica_.begin_update(step_, own, Scope::this_rank, cure_);
    {
      const auto phase = trace_.enter(Phase::communicate);
      if (mover_) mover_->end();
      client().wait_pushed();
      gradients_.to_host();
      client().push(
          gradients_.host(0),
          {.factor = made.gradient_factor, .weight = own.weight, .loss = own.loss, .norm = made.gradient_norm});
    }
    StepResult result;
    result.requests = own.requests;
    if (const auto& asked = client().asked()) result.stop_elsewhere = {.rank = asked->rank, .signal = asked->signal};
    result.gradient_factor = made.gradient_factor;
    return with_news(result);
  }
  StepResult finish_last(double /*loss*/) override { return with_news({}); }

  bool replicas_equal() const override { return met_; }
  bool can_pause() const override { return true; }
  BatchCursor cursor(const BatchPlan& gradients, std::int64_t step) const override {
    LS_CHECK(cut_ && cut_->number == step, "the position of a state that was not met");
    return cursor_after(gradients, step, cut_->next_batch, cut_->unapplied);
  }
  Json::Object progress() override {
    Json::Object members = served_progress(shown_, client().account());
    shown_ = client().account();
    account_due_ = true;
    return members;
  }
  StrategyAccount account() const override { return served_account(client().account()); }
  void meet() override {
    LS_CHECK(servers_.is_chief, "a meeting of a rank that is not the chief");
    const auto phase = trace_.enter(Phase::communicate);
    give_first_state();
    client().wait_pushed();
    HostTensors state(replica_.backend(), state_tensors());
    cut_ = client().cut(state.all());
    state.to_device();
    if (average_ != nullptr) average_->filled(cut_->number - average_begun_);
    met_ = true;
  }
  bool brings_average() const override { return true; }

  int replica_states() const override { return 0; }
  void copy_state(StateArrays& arrays) const override { copy_slots(replica_, communicator_, arrays); }
  void restore_state(StateArrays& arrays, SavedSlots /*saved*/) const override {
    restore_slots(replica_, communicator_, arrays);
  }

 private:
  ParameterClient& client() const { return servers_.client; }
  FlatRange all() const { return {0, replica_.parameters().table().padded_count()}; }

  // The values, then each slot, then the average if there is one.
  std::vector<Tensor> state_tensors() const {
    std::vector<Tensor> state{replica_.parameters().values()};
    state.insert(state.end(), replica_.slots().begin(), replica_.slots().end());
    if (average_ != nullptr) state.push_back(average_->parameters().values());
    return state;
  }

  // Asks for an account when the last one was shown, and each second, so that the next line shows a new one without
  // waiting. It comes with the values, if not earlier.
  void ask_account() {
    if (!servers_.is_chief || (!account_due_ && since_asked_.seconds() < 1)) return;
    client().ask_account();
    account_due_ = false;
    since_asked_.restart();
  }

  void hear_news() {
    const ParameterClient::Added& added = client().added();
    news_.loss += added.loss;
    news_.weight += added.weight;
    news_.norm += added.norm;
    news_.count += added.count;
    taken_ = client().updates();
  }

  void give_first_state() {
    if (!servers_.is_chief || given_) return;
    HostTensors state(replica_.backend(), state_tensors());
    state.to_host();
    if (average_ != nullptr) average_begun_ = told_ - average_->updates();
    client().begin(state.all(), replica_.optimizer_begun(), average_begun_);
    given_ = true;
  }

  // Adds what take() has told of the steps of all ranks, if there is something that no result has.
  StepResult with_news(StepResult result) {
    if (taken_ == told_ || news_.count == 0) return result;
    const ParameterClient::Added added = std::exchange(news_, {});
    result.step = taken_;
    result.steps = taken_ - std::exchange(told_, taken_);
    result.sums = {.loss = added.loss, .weight = added.weight, .requests = result.requests};
    result.gradient_norm = added.norm / static_cast<double>(added.count);
    return result;
  }

  Communicator& communicator_;
  Trace& trace_;
  Replica& replica_;
  ServerAccess servers_;
  AveragedWeights* average_;  // on the chief, that of --ema, which is part of the state; else null
  WireCopy wire_values_;
  WireCopy wire_gradients_;
  HostTensors values_;  // as they travel, like the gradients
  HostTensors gradients_;
  GradientAccumulator accumulator_;
  ControlExchange control_;
  StepCalls calls_;
  std::optional<ParameterClient::Assignment> assignment_;
  std::optional<ParameterClient::Cut> cut_;
  std::string_view cure_ = served_overflow_cure(servers_.wire_dtype);
  std::int64_t step_ = 0;
  ParameterClient::Added news_;     // sums over gradients that no result has told
  std::int64_t taken_ = 0;          // updates at the last take()
  std::int64_t told_;               // updates that results have told
  bool given_ = false;              // the servers have the first state
  std::int64_t average_begun_ = 0;  // the update after which the average began with the values
  PsAccount shown_;                 // in the last line of metrics
  Stopwatch since_asked_;           // for an account
  bool account_due_ = true;
  bool met_ = false;
  std::optional<PushMover> mover_;  // last: its thread uses the client until it has ended
};

}  // namespace

StrategyKind parameter_server_strategy() {
  const auto make = [](const StrategyParts& parts) -> std::unique_ptr<Strategy> {
    if (parts.servers == nullptr) {
      throw Error(ExitCode::configuration,
                  "--strategy=parameter_server needs ranks that hold the parameters: --ps_replicas=N makes N of them",
                  Scope::every_rank);
    }
    return std::make_unique<ServedTraining>(parts);
  };
  const auto with_accumulate = [](std::string_view name, const char* why, std::string_view value = "") {
    return RefusedSetting{.name = name, .why = why, .with = "ps_apply", .with_value = "accumulate", .value = value};
  };
  return {
      .make = make,
      .settings = {"max_staleness", "sum_updates", "ps_apply", "on_worker_loss", "ps_log", "ps_replay", "ps_transport",
                   "wire_dtype", "overlap"},
      .refused = {{"cuda_graph", "a step waits for the servers in the middle of it"},
                  {"exact", "the order of the updates depends on the speed of the ranks"},
                  {"collective", "gradients are not summed over ranks"},
                  with_accumulate("max_staleness", "nobody can hold back an update that a rank adds by itself"),
                  with_accumulate("sum_updates", "each gradient is an update, which its rank adds by itself"),
                  with_accumulate("on_worker_loss", "part of a lost rank's update may be added already", "continue"),
                  with_accumulate("ps_log", "updates have no order"),
                  with_accumulate("ps_replay", "updates have no order"),
                  with_accumulate("ps_transport", "ranks add their updates through a window", "p2p"),
                  with_accumulate("wire_dtype", "updates are added in float32"),
                  with_accumulate("ema", "the servers do not see the updates that they would average")},
      .update_batch = UpdateBatch::own_share,
      .aliases = {{"ParameterServerStrategy"}}};
}

}  // namespace lockstep
