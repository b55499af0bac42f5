#include "train/strategy/replica.h"

#include <fmt/format.h>

#include <cmath>

namespace lockstep {
namespace {

[[noreturn]] void not_finite(const std::string& what, std::int64_t step, Scope scope, std::string_view cure = {}) {
  throw Error(
      ExitCode::internal,
      fmt::format(
          "{} at step {} is not finite (NaN, infinity or beyond 2^48); {}try a smaller learning_rate, a longer "
          "learning_rate_warmup_steps, or look at the data: real targets are best scaled to mean 0 and stddev 1",
          what, step, cure),
      scope);
}

}  // namespace

Replica::Replica(Backend& backend, const ParameterStore& parameters, const Optimizer& optimizer, double clip_norm)
    : backend_(backend), parameters_(parameters), optimizer_(optimizer), clip_norm_(clip_norm) {}

void Replica::own_all() {
  owned_ = {{0, parameters_.table().padded_count()}};
  norm_.emplace(backend_, parameters_, sliceable());
  allocate_slots();
}

void Replica::own_part(Communicator& communicator, std::span<const std::vector<FlatRange>> owned) {
  owned_ = owned[static_cast<std::size_t>(communicator.rank())];
  norm_.emplace(backend_, parameters_, sliceable(), communicator, owned);
  allocate_slots();
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
  auto range = owned_.begin();
  std::int64_t before = 0;  // of the slots' elements, those of the ranges before
  for (const UpdateSpan& span : spans_) {
    for (; range->end <= span.range.begin; ++range) before += range->count();
    const std::int64_t begin = before + span.range.begin - range->begin;
    for (const Tensor& slot : slots_) span_slots_.push_back(slot.flat({begin, begin + span.range.count()}));
  }
}

void Replica::start_from_chief(Communicator& communicator) const {
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
  LS_CHECK(norm_, "an update before a strategy has said what this replica owns: Replica::own_all()");
  if (!std::isfinite(sums.loss) || !std::isfinite(sums.weight)) not_finite("the loss", step, scope);
  if (sums.weight == 0) return {};  // no rank had data: nothing to learn from
  Update made{.gradient_norm = norm_->norm() / sums.weight, .gradient_factor = 1 / sums.weight};
  if (!std::isfinite(made.gradient_norm)) {
    not_finite(fmt::format("the gradient of {}", norm_->not_finite()), step, scope, cure);
  }
  if (clip_norm_ > 0 && made.gradient_norm > clip_norm_) made.gradient_factor *= clip_norm_ / made.gradient_norm;
  apply(step, learning_rate, made.gradient_factor);
  return made;
}

void Replica::apply(std::int64_t step, double learning_rate, double gradient_factor) {
  const Tensor values = parameters_.values();
  const Tensor gradients = parameters_.gradients();
  std::span<const Tensor> slots(span_slots_);
  for (const UpdateSpan& span : spans_) {
    optimizer_.apply(backend_, values.flat(span.range), gradients.flat(span.range), slots.first(slots_.size()),
                     {.learning_rate = learning_rate,
                      .gradient_factor = gradient_factor,
                      .number = step - optimizer_begun_,
                      .decay = span.decay});
    slots = slots.subspan(slots_.size());
  }
}

}  // namespace lockstep
