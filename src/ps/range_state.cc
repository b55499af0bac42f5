#include "ps/range_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace lockstep {

RangeState::RangeState(Backend& backend, Rule rule, FlatRange range, std::vector<Tensor> copies)
    : backend_(backend),
      rule_(std::move(rule)),
      range_(range),
      spans_(plan_updates(rule_.table, rule_.optimizer.sliceable(), {&range_, 1})),
      copies_(std::move(copies)),
      readers_(copies_.size()) {
  LS_CHECK(backend.device() == Device{}, "a server's state is on the host");
  for (const Tensor& copy : copies_) {
    LS_CHECK(copy.count() == range_.count() && copy.dtype() == DType::float32,
             fmt::format("a copy of {} values for a range of {}", copy.count(), range_.count()));
  }
  const auto allocate = [&] {
    memory_.push_back(backend_.allocator().allocate(static_cast<std::size_t>(range_.count()) * sizeof(float)));
    return view(memory_.back(), DType::float32, {range_.count()});
  };
  for (std::size_t i = 0; i < rule_.optimizer.slots().size(); ++i) slots_.push_back(allocate());
  if (rule_.ema_decay > 0) average_ = allocate();
  if (rule_.gradients > 1) sum_ = allocate();
}

std::vector<Tensor> RangeState::tensors() {
  std::vector<Tensor> all{values()};
  all.insert(all.end(), slots_.begin(), slots_.end());
  if (rule_.ema_decay > 0) all.push_back(average_);
  return all;
}

void RangeState::add(const Tensor& gradient, double factor, double weight) {
  LS_CHECK(added_ < rule_.gradients, fmt::format("gradient {} of an update of {}", added_ + 1, rule_.gradients));
  LS_CHECK(gradient.count() == range_.count(), "a gradient of another range");
  if (rule_.gradients == 1) {
    gradient_ = gradient;
  } else {
    add_to_sum(gradient, static_cast<float>(factor * weight));
    gradient_ = sum_;
  }
  ++added_;
}

void RangeState::add_to_sum(const Tensor& gradient, float clip) {
  const auto* const from = gradient.as<float>();
  auto* const to = sum_.as<float>();
  const std::int64_t count = range_.count();
  if (added_ == 0) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = clip * from[i];
  } else {
    for (std::int64_t i = 0; i < count; ++i) to[i] += clip * from[i];
  }
}

void RangeState::update(std::int64_t number, double factor) {
  LS_CHECK(added_ > 0, fmt::format("update {} without a gradient", number));
  if (factor != 0) {
    const Tensor before = values();
    const Tensor& after = copies_[readers_.begin_update()];
    if (after.data() != before.data()) backend_.copy(before, after);
    apply(number, factor);
  }
  if (rule_.ema_decay > 0) {
    const auto n = static_cast<double>(number - rule_.average_begun);
    backend_.blend(values(), average_, 1 - std::min(rule_.ema_decay, (1 + n) / (10 + n)));
  }
  gradient_ = {};
  added_ = 0;
}

void RangeState::apply(std::int64_t number, double factor) {
  Optimizer::Step step{.learning_rate = rule_.learning_rate(number),
                       .gradient_factor = factor,
                       .number = number - rule_.optimizer_begun};
  std::vector<Tensor> slots(slots_.size());
  for (const UpdateSpan& span : spans_) {
    const FlatRange part = here(span.range);
    std::ranges::transform(slots_, slots.begin(), [&](const Tensor& slot) { return slot.flat(part); });
    step.decay = span.decay;
    step.shape = span.shape;
    rule_.optimizer.apply(backend_, values().flat(part), gradient_.flat(part), slots, step);
  }
}

}  // namespace lockstep
