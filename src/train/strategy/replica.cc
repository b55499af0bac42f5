#include "train/strategy/replica.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace lockstep {
namespace {

[[noreturn]] void not_finite(const std::string& what, std::int64_t step, Scope scope) {
  throw Error(
      ExitCode::internal,
      fmt::format(
          "{} at step {} is not finite (NaN, infinity or beyond 2^48); try a smaller learning_rate, a longer "
          "learning_rate_warmup_steps, or look at the data: real targets are best scaled to mean 0 and stddev 1",
          what, step),
      scope);
}

}  // namespace

Replica::Replica(Backend& backend, const ParameterStore& parameters, const Optimizer& optimizer, double clip_norm)
    : backend_(backend),
      parameters_(parameters),
      optimizer_(optimizer),
      clip_norm_(clip_norm),
      spans_(plan_updates(parameters.table(), optimizer.sliceable())) {
  const Tensor values = parameters.values();
  for (std::size_t i = 0; i < optimizer.slots().size(); ++i) {
    slot_memory_.push_back(backend.allocator().allocate(values.bytes()));
    slots_.push_back(view(slot_memory_.back(), values.dtype(), values.shape()));
  }
  for (const UpdateSpan& span : spans_) {
    for (const Tensor& slot : slots_) span_slots_.push_back(slot.flat(span.range));
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

void Replica::write_control(const ControlValues& values) const {
  std::array<float, ControlValues::kWords> words{};
  values.encode(words);
  backend_.copy(Tensor(words.data(), DType::float32, {ControlValues::kWords}),
                parameters_.gradients_with_headroom().flat({0, ControlValues::kWords}));
  backend_.synchronize();
}

ControlValues Replica::read_control() const {
  std::array<float, ControlValues::kWords> words{};
  backend_.copy(parameters_.gradients_with_headroom().flat({0, ControlValues::kWords}),
                Tensor(words.data(), DType::float32, {ControlValues::kWords}));
  backend_.synchronize();
  return ControlValues::decode(words);
}

double Replica::update(std::int64_t step, double learning_rate, const ControlValues& sums, Scope scope) {
  if (!std::isfinite(sums.loss) || !std::isfinite(sums.weight)) not_finite("the loss", step, scope);
  if (sums.weight == 0) return 0;  // no rank had data: nothing to learn from
  const Tensor gradients = parameters_.gradients();
  const double squares = backend_.scale_and_sum_squares(gradients, 1 / sums.weight);
  if (!std::isfinite(squares)) {
    const std::int64_t at = backend_.first_not_finite(gradients);
    not_finite(fmt::format("the gradient of {}", parameters_.table().owner_of(at).name), step, scope);
  }
  const double norm = std::sqrt(squares);
  if (clip_norm_ > 0 && norm > clip_norm_) backend_.scale(gradients, clip_norm_ / norm);
  apply(step, learning_rate);
  return norm;
}

void Replica::apply(std::int64_t step, double learning_rate) {
  const Tensor values = parameters_.values();
  const Tensor gradients = parameters_.gradients();
  std::span<const Tensor> slots(span_slots_);
  for (const UpdateSpan& span : spans_) {
    optimizer_.apply(backend_, values.flat(span.range), gradients.flat(span.range), slots.first(slots_.size()),
                     {.learning_rate = learning_rate, .number = step - optimizer_begun_, .decay = span.decay});
    slots = slots.subspan(slots_.size());
  }
}

}  // namespace lockstep
