#include "model/transformer/positions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "model/timing_signal.h"

namespace lockstep {
namespace {

void write(const std::vector<float>& signal, const Tensor& to) {
  if (to.dtype() == DType::float64) {
    std::ranges::copy(signal, to.as<double>());
  } else {
    std::ranges::copy(signal, to.as<float>());
  }
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

// Rebuilt, at least twice as long, if a sequence is longer than any before. The host does not wait for the device.
Tensor SequencePositions::signal(std::int64_t longest, Pass& pass) {
  const DType dtype = pass.parameters.dtype();
  if (is_given(signal_) && signal_.shape()[0] >= longest && signal_.dtype() == dtype) return signal_;
  const auto positions = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(longest)));
  std::vector<float> rows(static_cast<std::size_t>(positions * width_));
  for (std::int64_t i = 0; i < positions; ++i) {
    timing_signal(i, std::span(rows).subspan(static_cast<std::size_t>(i * width_), static_cast<std::size_t>(width_)));
  }
  signal_ = signal_memory_.get(pass.backend, dtype, {positions, width_});
  signals_on_host_.push_back(pass.backend.host_allocator().allocate(signal_.bytes()));
  const Tensor on_host = view(signals_on_host_.back(), dtype, signal_.shape());
  write(rows, on_host);
  pass.backend.copy(on_host, signal_);
  return signal_;
}

}  // namespace lockstep
