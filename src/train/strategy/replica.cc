#include "train/strategy/replica.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

// more: further facts, beginning with a comma.
[[noreturn]] void not_finite(const std::string& what, std::int64_t step, Scope scope, std::string_view cure = {},
                             const std::string& more = "") {
  throw Error(
      ExitCode::internal,
      fmt::format(
          "{} at step {} is not finite (NaN, infinity or beyond 2^48){}; {}try a smaller learning_rate, a longer "
          "learning_rate_warmup_steps, or look at the data: real targets are best scaled to mean 0 and stddev 1",
          what, step, more, cure),
      scope);
}

void check_loss(std::int64_t step, const ControlValues& sums, Scope scope) {
  if (!std::isfinite(sums.loss) || !std::isfinite(sums.weight)) not_finite("the loss", step, scope);
}

}  // namespace

Replica::Replica(Backend& backend, const ParameterStore& parameters, const Optimizer& optimizer, double clip_norm)
    : backend_(backend), parameters_(parameters), optimizer_(optimizer), clip_norm_(clip_norm) {}

void Replica::own_all() {
  LS_CHECK(!parameters_.common_values(), "every rank is to update all values, of which all ranks have one copy");
  owned_ = {{0, parameters_.table().padded_count()}};
  norm_ = std::make_unique<GradientNorm>(backend_, parameters_, sliceable());
  allocate_slots();
}

void Replica::own_nothing() { norm_ = std::make_unique<GradientNorm>(backend_, parameters_, sliceable()); }

void Replica::own_part(Communicator& communicator, Trace& trace, std::span<const std::vector<FlatRange>> owned) {
  owned_ = owned[static_cast<std::size_t>(communicator.rank())];
  norm_ = std::make_unique<GradientNorm>(backend_, parameters_, sliceable(), communicator, trace, owned);
  allocate_slots();
}

void Replica::share_norm(Communicator& communicator, Trace& trace, std::span<const std::vector<FlatRange>> parts) {
  LS_CHECK(sliceable(), "the norm's chunks of an optimizer that is not sliceable begin where variables do");
  norm_ = std::make_unique<GradientNorm>(backend_, parameters_, true, communicator, trace, parts);
}

void Replica::allocate_slots() {
  LS_CHECK(spans_.empty(), "two strategies say what one replica owns");
  spans_ = plan_updates(parameters_.table(), sliceable(), owned_);
  const DType dtype = parameters_.dtype();
  std::int64_t count = 0;
  for (const FlatRange range : owned_) count += range.count();
  for (std::size_t i = 0; i < optimizer_.slots().size(); ++i) {
    slot_memory_.push_back(backend_.allocator().allocate(static_cast<std::size_t>(count) * size_of(dtype)));
    slots_.push_back(view(slot_memory_.back(), dtype, {count}));
  }
  span_slots_.resize(slots_.size());
  slot_begins_.reserve(spans_.size());
  auto range = owned_.begin();
  std::int64_t before = 0;  // elements of the slots in the ranges before
  for (const UpdateSpan& span : spans_) {
    for (; range->end <= span.range.begin; ++range) before += range->count();
    slot_begins_.push_back(before + span.range.begin - range->begin);
  }
}

void Replica::start_from_chief(Communicator& communicator) const {
  if (parameters_.common_values()) return communicator.barrier();
  const Tensor values = parameters_.values();
  std::vector<std::byte> host(values.bytes());
  const Tensor on_host(host.data(), values.dtype(), values.shape());
  if (communicator.rank() == 0) backend_.copy(values, on_host);
  backend_.synchronize();
  communicator.broadcast(host, 0);
  backend_.copy(on_host, values);
  backend_.synchronize();
}

Replica::Update Replica::update(std::int64_t step, double learning_rate, const ControlValues& sums, Scope scope,
                                std::string_view cure) {
  const Update update = begin_update(step, sums, scope, cure);
  apply(step, learning_rate, update, {0, parameters_.table().padded_count()});
  return update;
}

Replica::Update Replica::begin_update(std::int64_t step, const ControlValues& sums, Scope scope,
                                      std::string_view cure) {
  LS_CHECK(norm_, "an update before a strategy has said what this replica owns: Replica::own_all()");
  check_loss(step, sums, scope);
  if (sums.weight == 0) {  // no rank had data: nothing to learn from
    norm_->restart();
    return {};
  }
  Update update{.gradient_norm = norm_->norm() / sums.weight, .gradient_factor = 1 / sums.weight};
  if (!std::isfinite(update.gradient_norm)) {
    not_finite(fmt::format("the gradient of {}", norm_->not_finite()), step, scope, cure);
  }
  if (clip_norm_ > 0 && update.gradient_norm > clip_norm_) update.gradient_factor *= clip_norm_ / update.gradient_norm;
  return update;
}

Replica::Update Replica::begin_late_update(std::int64_t step, double weight) {
  LS_CHECK(norm_, "an update before a strategy has said what this replica owns: Replica::own_all()");
  if (!late_) late_ = std::make_unique<LateNorm>(backend_);
  late_factor_ = weight == 0 ? 0 : 1 / weight;
  if (weight == 0) {
    norm_->restart();
    late_->start_without(step);
    return {};
  }
  norm_->start(late_factor_, clip_norm_, late_->result());
  late_->start(step);
  return {.gradient_factor = late_factor_, .device_factor = static_cast<const double*>(late_->result().data())};
}

Replica::LateResult Replica::late_result(std::int64_t made, const ControlValues& sums, Scope scope,
                                         std::string_view cure) {
  if (!late_) return {};
  const LateNorm::Result result = late_->take();
  if (result.step == 0) return {};
  check_loss(result.step, sums, scope);
  if (!std::isfinite(result.norm)) late_gradient_not_finite(result.step, made, scope, cure);
  return {.step = result.step, .gradient_norm = result.norm, .gradient_factor = late_factor_ * result.factor};
}

// Throws for the gradients of a step. Those of a step made after it are gradients of the same values, but of other
// data.
void Replica::late_gradient_not_finite(std::int64_t step, std::int64_t made, Scope scope, std::string_view cure) {
  // If the later operations are still an open graph, the gradients are those of this step.
  if (backend_.drop_graph()) made = step;
  const std::string variable = std::isfinite(norm_->norm()) ? "" : norm_->not_finite();
  if (variable.empty()) not_finite("the gradient", step, scope, cure);
  if (made == step) not_finite(fmt::format("the gradient of {}", variable), step, scope, cure);
  not_finite("the gradient", step, scope, cure, fmt::format(", nor is that of {} at step {}", variable, made));
}

void Replica::apply(std::int64_t step, double learning_rate, const Update& update, FlatRange part) {
  if (update.gradient_factor == 0) return;
  const auto ends_by = [&](const UpdateSpan& span) { return span.range.end <= part.begin; };
  for (auto span = std::ranges::partition_point(spans_, ends_by); span != spans_.end() && span->range.begin < part.end;
       ++span) {
    apply_span(static_cast<std::size_t>(span - spans_.begin()), part,
               {.learning_rate = learning_rate,
                .gradient_factor = update.gradient_factor,
                .device_factor = update.device_factor,
                .number = step - optimizer_begun_,
                .decay = span->decay,
                .shape = span->shape});
  }
}

void Replica::apply_span(std::size_t number, FlatRange part, const Optimizer::Step& step) {
  const FlatRange span = spans_[number].range;
  const FlatRange range{std::max(part.begin, span.begin), std::min(part.end, span.end)};
  LS_CHECK(sliceable() || range == span, "a part cuts a variable of an optimizer that is not sliceable");
  const std::int64_t slot_begin = slot_begins_[number] + range.begin - span.begin;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    span_slots_[i] = slots_[i].flat({slot_begin, slot_begin + range.count()});
  }
  optimizer_.apply(backend_, parameters_.values().flat(range), parameters_.gradients().flat(range), span_slots_, step);
}

}  // namespace lockstep
