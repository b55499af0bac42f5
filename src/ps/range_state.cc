#include "ps/range_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "optim/moving_average.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

float as_float32(float value) { return value; }
float as_float32(BFloat16 value) { return widened(value); }
float as_float32(Float16 value) { return widened(value); }

template <class T>
void write_clipped(const T* from, float clip, std::span<float> to, Write write) {
  if (write == Write::replace) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = clip * as_float32(from[i]);
  } else {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += clip * as_float32(from[i]);
  }
}

}  // namespace

RangeState::RangeState(Backend& backend, Rule rule, FlatRange range, std::vector<Tensor> copies)
    : backend_(backend),
      rule_(std::move(rule)),
      range_(range),
      spans_(plan_updates(rule_.table, rule_.optimizer.sliceable(), {&range_, 1})),
      copies_(std::move(copies)),
      readers_(copies_.size()) {
  LS_CHECK(backend.device() == Device{}, "a server's state is on the host");
  for (const Tensor& copy : copies_) {
    LS_CHECK(
        copy.count() == range_.count() && copy.dtype() == copies_.front().dtype(),
        fmt::format("a copy of {} values of {} for a range of {}", copy.count(), name(copy.dtype()), range_.count()));
  }
  const auto allocate = [&] {
    memory_.push_back(backend_.allocator().allocate(static_cast<std::size_t>(range_.count()) * sizeof(float)));
    return view(memory_.back(), DType::float32, {range_.count()});
  };
  for (std::size_t i = 0; i < rule_.optimizer.slots().size(); ++i) slots_.push_back(allocate());
  if (rule_.ema_decay > 0) average_ = allocate();
  if (rule_.gradients > 1 || rounds()) sum_ = allocate();
  if (rounds()) values_ = allocate();
}

void RangeState::begin(std::int64_t optimizer, std::int64_t average) {
  optimizer_begun_ = optimizer;
  average_begun_ = average;
  if (rounds()) backend_.convert(values_, copies_[readers_.current()]);
}

std::vector<Tensor> RangeState::tensors() {
  std::vector<Tensor> all{values()};
  all.insert(all.end(), slots_.begin(), slots_.end());
  if (rule_.ema_decay > 0) all.push_back(average_);
  return all;
}

void RangeState::add(const Tensor& gradient, double factor, double weight) {
  LS_CHECK(added_ < rule_.gradients, fmt::format("gradient {} of an update of {}", added_ + 1, rule_.gradients));
  LS_CHECK(gradient.count() == range_.count() && gradient.dtype() == copies_.front().dtype(),
           "a gradient of another range or type");
  gradient_ = sum_;
  if (rule_.gradients > 1) {
    add_to_sum(gradient, static_cast<float>(factor * weight));
  } else if (rounds()) {
    backend_.convert(gradient, sum_);
  } else {
    gradient_ = gradient;
  }
  ++added_;
}

void RangeState::add_to_sum(const Tensor& gradient, float clip) {
  const std::span<float> sum = sum_.span<float>();
  const Write write = added_ == 0 ? Write::replace : Write::add;
  if (gradient.dtype() == DType::bfloat16) {
    write_clipped(gradient.as<BFloat16>(), clip, sum, write);
  } else if (gradient.dtype() == DType::float16) {
    write_clipped(gradient.as<Float16>(), clip, sum, write);
  } else {
    write_clipped(gradient.as<float>(), clip, sum, write);
  }
}

void RangeState::update(std::int64_t number, double factor) {
  LS_CHECK(added_ > 0, fmt::format("update {} without a gradient", number));
  if (factor != 0) {
    const Tensor before = values();
    const Tensor& after = copies_[readers_.begin_update()];
    if (!rounds() && after.data() != before.data()) backend_.copy(before, after);
    apply(number, factor);
    if (rounds()) backend_.convert(values_, after);
  }
  if (rule_.ema_decay > 0) {
    backend_.blend(values(), average_, weight_of_new(rule_.ema_decay, number - average_begun_));
  }
  gradient_ = {};
  added_ = 0;
}

void RangeState::apply(std::int64_t number, double factor) {
  Optimizer::Step step{
      .learning_rate = rule_.learning_rate(number), .gradient_factor = factor, .number = number - optimizer_begun_};
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
