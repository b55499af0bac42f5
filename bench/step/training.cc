#include "training.h"

#include <algorithm>
#include <vector>

#include "clock.h"

namespace lockstep::bench {
namespace {

using Phase = TimedBackend::Phase;

constexpr double kLearningRate = 1e-4;  // small enough that nothing overflows in thousands of steps

void check_products(DType precision, const Backend& backend) {
  const std::string reason = precision == DType::bfloat16 ? backend.bfloat16_products() : "";
  if (!reason.empty()) throw Error(ExitCode::configuration, "--precision=bfloat16: " + reason);
}

bool is_on_host(const Backend& backend) { return backend.device().kind == Device::Kind::cpu; }

}  // namespace

Training::Training(const StepOptions& options, Communicator& communicator, Backend& backend, int rank, Trace& trace)
    : communicator_(communicator),
      on_host_(is_on_host(backend)),
      group_steps_(options.model->group_steps * (on_host_ ? 1 : 5)),
      network_(options.model->network(
          {.batch = options.batch, .length = options.length, .rows = on_host_ ? Rows::layers : Rows::operations})),
      backend_(backend, network_.times),
      shared_memory_(communicator.allocator()),
      parameters_(network_.model->table(), options.shard_optimizer ? shared_memory_ : backend_.allocator(),
                  shared_memory_, DType::float32),
      optimizer_(options.model->optimizer()),
      replica_(backend_, parameters_, *optimizer_),
      strategy_(make_sync_strategy(communicator, trace, replica_, {.shard_optimizer = options.shard_optimizer})),
      batches_(network_.shape, options.batch, network_.length, rank, backend),
      times_{.model = options.model->name,
             .device = backend.device(),
             .device_name = backend.description(),
             .collective = communicator.name(),
             .cuda_graph = options.cuda_graph,
             .ranks = communicator.size(),
             .batch = options.batch,
             .length = network_.length,
             .precision = name(options.precision)} {
  check_products(options.precision, backend_);
  if (strategy_->results_are_late()) losses_.emplace(backend_, *network_.model, 1);
  if (options.cuda_graph) {
    const std::string reason = why_no_graphs(backend_, communicator, *strategy_);
    if (!reason.empty()) throw Error(ExitCode::configuration, "--cuda_graph: " + reason, Scope::every_rank);
    graphs_.emplace(backend_);
  }
  parameters_.set_product_dtype(backend_, options.precision);
  if (communicator.rank() == 0) initialize(backend_, parameters_, network_.model->initializers(), 1);
  strategy_->start();
}

StepTimes& Training::times() {
  times_.memory = backend_.most_memory() + shared_memory_.most();
  return times_;
}

double Training::run_group() {
  backend_.synchronize();
  const double flop_before = backend_.flop();
  const double begin = now_us();
  for (std::int64_t i = 0; i < group_steps_; ++i) step();
  backend_.synchronize();
  const auto steps = static_cast<double>(group_steps_);
  times_.step_us.push_back((now_us() - begin) / steps);
  times_.flop = (backend_.flop() - flop_before) / steps;
  return times_.step_us.back();
}

void Training::warm_up() {
  run_group();
  forget_times();
  times_.step_us.clear();
  if (on_host_ && network_.rows == Rows::operations) backend_.add_floors();
}

void Training::forget_times() {
  times_.loss_us.clear();
  times_.exchange_us.clear();
  times_.update_us.clear();
  for (const auto& layer : network_.times) {
    layer->forward_us.clear();
    layer->backward_us.clear();
    layer->update_us.clear();
  }
}

void Training::run_split() {
  constexpr int kSteps = 5;
  splitting_ = true;
  step();  // creates the rows
  forget_times();
  for (int i = 0; i < kSteps; ++i) step();
  splitting_ = false;
  backend_.synchronize();
}

void Training::run_exchange() {
  constexpr std::int64_t kBucket = SyncOptions{}.bucket_elements;
  constexpr int kCalls = 10;
  const Tensor gradients = parameters_.gradients();
  backend_.fill(gradients, 0);  // their sums stay finite
  const auto exchange_us = [&] {
    backend_.synchronize();
    communicator_.barrier();
    const double begin = now_us();
    std::vector<Ticket> tickets;
    for (std::int64_t end = gradients.count(); end > 0; end -= kBucket) {
      const FlatRange bucket{std::max<std::int64_t>(0, end - kBucket), end};
      tickets.push_back(communicator_.all_reduce(gradients.flat(bucket), backend_.record()));
    }
    for (const Ticket ticket : tickets) communicator_.wait(ticket);
    backend_.synchronize();
    return now_us() - begin;
  };
  exchange_us();
  for (int i = 0; i < kCalls; ++i) times_.exchange_us.push_back(exchange_us());
}

void Training::step() {
  ++step_;
  const Batch batch = batches_.at(step_);
  Pass pass{.backend = backend_,
            .parameters = parameters_,
            .mode = Pass::Mode::train,
            .step = step_,
            .row_ids = batch.row_ids,
            .on_gradient_ready = [this](FlatRange range) { on_gradient_ready(range); }};
  if (!on_host_) begin_pass(Phase::forward);  // converting the parameters for products is one of its rows
  parameters_.update_copy(backend_);
  strategy_->begin_step(step_, 0);
  if (graphs_) graphs_->begin_step();
  InGraph update(backend_, as_graphs() ? graphs_->update() : nullptr);
  const double begin = now_us();
  if (on_host_) begin_pass(Phase::forward);
  const ControlValues share = forward(batch, pass);
  end_pass();
  const double forward_end = now_us();
  strategy_->add_share(share);
  const double backward_begin = now_us();
  if (on_host_) times_.exchange_us.push_back(backward_begin - forward_end);
  begin_pass(Phase::backward);
  update.begin();
  network_.model->backward(pass);
  end_pass();
  const double backward_end = now_us();
  if (!on_host_) begin_pass(Phase::update);
  strategy_->finish_step(kLearningRate);
  update.launch();
  if (!on_host_) return end_pass();
  times_.update_us.push_back(now_us() - backward_end);
  double layers = 0;
  for (const auto& layer : network_.times) layers += layer->forward_us.back();
  times_.loss_us.push_back(forward_end - begin - layers);
}

ControlValues Training::forward(const Batch& batch, Pass& pass) {
  if (!losses_) {
    const MetricSums sums = network_.model->forward(batch, pass);
    return {.loss = sums["loss"], .weight = sums.weight};
  }
  InGraph in_graph(backend_, as_graphs() ? graphs_->forward() : nullptr);
  in_graph.begin();
  const Tensor sums = network_.model->start_forward(batch, pass);
  in_graph.launch();
  losses_->add(step_, sums);
  return {.loss = losses_->take_before(step_), .weight = batch.weight};
}

void Training::on_gradient_ready(FlatRange range) {
  const double begin = now_us();
  strategy_->on_gradient_ready(range);
  if (on_host_) times_.exchange_us.back() += now_us() - begin;
}

void Training::begin_pass(Phase phase) {
  if (on_host_ ? network_.rows == Rows::operations : splitting_) backend_.begin_pass(phase);
}

void Training::end_pass() {
  if (on_host_ ? network_.rows == Rows::operations : splitting_) backend_.end_pass();
}

}  // namespace lockstep::bench
