#include "batches.h"

#include "base/random.h"

namespace lockstep::bench {
namespace {

// Number of distinct batches. For rows as many as the peers' scripts have; these have one batch of sequences.
std::int64_t batches_of(std::int64_t length, const Backend& backend) {
  if (length > 0) return 1;
  return backend.device().kind == Device::Kind::cpu ? 64 : 8;
}

template <class T>
Tensor part(const std::vector<T>& values, std::int64_t first, DType dtype, const Shape& shape) {
  return {const_cast<T*>(values.data()) + first, dtype, shape};  // NOLINT(*-const-cast): nobody writes into a batch
}

}  // namespace

Batches::Batches(const ProblemShape& shape, std::int64_t size, std::int64_t length, int rank, Backend& backend)
    : batches_(batches_of(length, backend)),
      rows_(length == 0 ? size : size * length),
      input_(shape.input.with_front(rows_)),
      input_type_(shape.input_type) {
  const RandomStream random{.seed = 7, .stream = static_cast<std::uint16_t>(rank)};
  const auto draw = [&](std::int64_t i, std::size_t word) { return random.block(static_cast<std::uint32_t>(i))[word]; };
  const std::int64_t numbers = batches_ * input_.elements();
  for (std::int64_t i = 0; i < numbers; ++i) {
    if (input_type_ == DType::int32) {
      symbols_.push_back(static_cast<std::int32_t>(draw(i, 0) % static_cast<std::uint32_t>(shape.vocabulary)));
    } else {
      numbers_.push_back(uniform_float(draw(i, 0)));
    }
  }
  for (std::int64_t i = 0; i < batches_ * rows_; ++i) {
    labels_.push_back(static_cast<std::int32_t>(draw(i, 1) % static_cast<std::uint32_t>(shape.outputs)));
    ids_.push_back(length == 0 ? i : i / length * kMostPositions + i % length);
  }
  weights_.assign(static_cast<std::size_t>(rows_), 1.0F);
  for (std::int64_t begin = 0; length > 0 && begin < rows_; begin += length) {
    sequences_.push_back({.begin = begin, .end = begin + length});
  }
  if (backend.device().kind == Device::Kind::cpu) return;
  for (std::int64_t n = 0; n < batches_; ++n) copies_.emplace_back(backend).take(host_batch(n));
  backend.synchronize();
}

Batch Batches::at(std::int64_t step) const {
  const std::int64_t n = step % batches_;
  return copies_.empty() ? host_batch(n) : copies_[static_cast<std::size_t>(n)].batch();
}

Batch Batches::host_batch(std::int64_t n) const {
  const std::int64_t first = n * input_.elements();
  return {.inputs = input_type_ == DType::int32 ? part(symbols_, first, DType::int32, input_)
                                                : part(numbers_, first, DType::float32, input_),
          .targets = part(labels_, n * rows_, DType::int32, {rows_}),
          .weights = part(weights_, 0, DType::float32, {rows_}),
          .row_ids = part(ids_, n * rows_, DType::int64, {rows_}),
          .sequences = sequences_};
}

}  // namespace lockstep::bench
