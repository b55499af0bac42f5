#include "model/transformer/positions.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/timing_signal.h"

namespace lockstep {
namespace {

template <class T>
void copy_signal(const std::vector<float>& signal, const Tensor& to, Backend& backend) {
  std::vector<T> values(signal.begin(), signal.end());
  backend.copy(Tensor(values.data(), to.dtype(), to.shape()), to);
  backend.synchronize();  // before the values go
}

}  // namespace

SequencePositions::SequencePositions(const TransformerOptions& options, std::string name)
    : kind_(options.positions),
      width_(options.hidden_size),
      learned_(options.max_length),
      start_(table_values(options, options.max_length)),
      name_(std::move(name)) {}

void SequencePositions::declare(Declaration& declaration) {
  if (kind_ != TransformerOptions::Positions::learned) return;
  table_ = declaration.variable(name_ + "/table", {learned_, width_}, start_, true);
}

void SequencePositions::add_to(const Tensor& rows, std::span<const std::int32_t> positions, Pass& pass) {
  if (kind_ == TransformerOptions::Positions::none) return;
  number_rows(rows.shape()[0], positions, pass);
  const bool learned = kind_ == TransformerOptions::Positions::learned;
  if (learned && longest_ > learned_) {
    throw Error(ExitCode::configuration,
                fmt::format("a sequence of {} symbols, and the model has learned positions for {} (hparam max_length); "
                            "train with a larger max_length, or with pos=timing, which has no end",
                            longest_, learned_));
  }
  const Tensor table = learned ? pass.parameters.value(table_) : signal(longest_, pass);
  pass.backend.embed({}, table, numbers_on_device_, rows, Write::add);
}

void SequencePositions::backward(const Tensor& rows, Pass& pass) const {
  if (kind_ != TransformerOptions::Positions::learned) return;
  pass.backend.embed_backward({}, numbers_on_device_, rows, pass.parameters.gradient(table_), Write::replace);
  if (pass.on_gradient_ready) pass.on_gradient_ready(pass.parameters.table().padded(table_, table_ + 1));
}

void SequencePositions::number_rows(std::int64_t rows, std::span<const std::int32_t> positions, Pass& pass) {
  numbers_.assign(positions.begin(), positions.end());
  if (positions.empty()) {
    for (const SequenceRows& sequence : pass.sequences) {
      const std::int64_t length = sequence.end - sequence.begin;
      for (std::int64_t i = 0; i < length; ++i) numbers_.push_back(static_cast<std::int32_t>(i));
    }
  }
  longest_ = numbers_.empty() ? 0 : std::int64_t{1} + *std::ranges::max_element(numbers_);
  LS_CHECK(std::ssize(numbers_) == rows, fmt::format("sequences with {} rows of {}", numbers_.size(), rows));
  numbers_on_device_ = uploaded_.upload(pass.backend, numbers_);
}

// Made again when a sequence is longer than any before.
Tensor SequencePositions::signal(std::int64_t positions, Pass& pass) {
  const DType dtype = pass.parameters.dtype();
  if (is_given(signal_) && signal_.shape()[0] >= positions && signal_.dtype() == dtype) return signal_;
  std::vector<float> rows(static_cast<std::size_t>(positions * width_));
  for (std::int64_t i = 0; i < positions; ++i) {
    timing_signal(i, std::span(rows).subspan(static_cast<std::size_t>(i * width_), static_cast<std::size_t>(width_)));
  }
  signal_ = signal_memory_.get(pass.backend, dtype, {positions, width_});
  if (dtype == DType::float64) {
    copy_signal<double>(rows, signal_, pass.backend);
  } else {
    copy_signal<float>(rows, signal_, pass.backend);
  }
  return signal_;
}

}  // namespace lockstep
