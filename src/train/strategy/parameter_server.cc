#include "train/strategy/parameter_server.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "collective/gradient_accumulator.h"
#include "data/missed_first_plan.h"
#include "train/strategy/control_exchange.h"
#include "train/strategy/host_tensors.h"
#include "train/strategy/served_account.h"
#include "train/strategy/slot_copy.h"
#include "train/strategy/step_calls.h"

namespace lockstep {
namespace {

class ServedTraining final : public Strategy {
 public:
  ServedTraining(Communicator& communicator, Trace& trace, Replica& replica, const ServerAccess& servers,
                 const RunPlan& plan)
      : communicator_(communicator),
        trace_(trace),
        replica_(replica),
        servers_(servers),
        values_(replica.backend(), {replica.parameters().values()}),
        gradients_(replica.backend(), {replica.parameters().gradients()}),
        accumulator_(replica.backend(), replica.parameters().gradients(), plan.own_shares),
        control_(communicator, replica.backend()),
        calls_(accumulator_.shares()),
        told_(plan.batches->from().step) {
    if (servers.is_chief) {
      replica.own_all();  // its slots are those of checkpoints
    } else {
      replica.own_nothing();
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
  }
  void add_share(const ControlValues& share) override {
    calls_.add_share();
    control_.add(share);
    const auto phase = trace_.enter(Phase::communicate);
    client().wait_pushed();  // the backward pass overwrites the gradients of the step before
  }
  void on_gradient_ready(FlatRange range) override { accumulator_.add(calls_.gradients(range), range); }

  StepResult finish_step(double /*learning_rate*/) override {
    calls_.finish();
    const ControlValues own = control_.own();
    const Replica::Update made = replica_.begin_update(step_, own, Scope::this_rank);
    {
      const auto phase = trace_.enter(Phase::communicate);
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
    met_ = true;
  }

  int replica_states() const override { return 0; }
  void copy_state(StateArrays& arrays) const override { copy_slots(replica_, communicator_, arrays); }
  void restore_state(StateArrays& arrays, SavedSlots /*saved*/) const override {
    restore_slots(replica_, communicator_, arrays);
  }

 private:
  ParameterClient& client() const { return servers_.client; }

  // The values, then each slot.
  std::vector<Tensor> state_tensors() const {
    std::vector<Tensor> state{replica_.parameters().values()};
    state.insert(state.end(), replica_.slots().begin(), replica_.slots().end());
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
    client().begin(state.all(), replica_.optimizer_begun());
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
  HostTensors values_;
  HostTensors gradients_;
  GradientAccumulator accumulator_;
  ControlExchange control_;
  StepCalls calls_;
  std::optional<ParameterClient::Assignment> assignment_;
  std::optional<ParameterClient::Cut> cut_;
  std::int64_t step_ = 0;
  ParameterClient::Added news_;  // sums over gradients that no result has told
  std::int64_t taken_ = 0;       // updates at the last take()
  std::int64_t told_;            // updates that results have told
  bool given_ = false;           // the servers have the first state
  PsAccount shown_;              // in the last line of metrics
  Stopwatch since_asked_;        // for an account
  bool account_due_ = true;
  bool met_ = false;
};

}  // namespace

std::unique_ptr<Strategy> make_parameter_server(Communicator& communicator, Trace& trace, Replica& replica,
                                                const ServerAccess& servers, const RunPlan& plan) {
  return std::make_unique<ServedTraining>(communicator, trace, replica, servers, plan);
}

StrategyKind parameter_server_strategy() {
  const auto make = [](const StrategyParts& parts) {
    if (parts.servers == nullptr) {
      throw Error(ExitCode::configuration,
                  "--strategy=parameter_server needs ranks that hold the parameters: --ps_replicas=N makes N of them",
                  Scope::every_rank);
    }
    return make_parameter_server(parts.communicator, parts.trace, parts.replica, *parts.servers, parts.plan);
  };
  return {
      .make = make,
      .settings = {"max_staleness", "sum_updates", "ps_apply", "on_worker_loss", "ps_log", "ps_replay", "ps_transport"},
      .refused = {{"cuda_graph", "a step waits for the servers in the middle of it"},
                  {"exact", "the order of the updates depends on the speed of the ranks"},
                  {"ema", "the servers do not average what they hold"},
                  {"collective", "gradients are not summed over ranks"}},
      .update_batch = UpdateBatch::own_share,
      .aliases = {{"ParameterServerStrategy"}}};
}

}  // namespace lockstep
