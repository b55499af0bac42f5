#include "train/schedule/predict/chunk_predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <string>

#include "base/error.h"
#include "model/layer.h"
#include "train/schedule/predict/most_probable.h"

namespace lockstep {
namespace {

// Extends the vector, and returns the part that was added.
template <class T>
std::span<T> extend(std::vector<T>& values, std::size_t count) {
  values.resize(values.size() + count);
  return std::span(values).last(count);
}

}  // namespace

ChunkPredictor::ChunkPredictor(SavedModel& saved, const OpenedSplit& on, const PredictionForm& form, std::int64_t chunk,
                               Backend& backend)
    : saved_(saved),
      on_(on),
      form_(form),
      backend_(backend),
      buffer_(on.problem->shape(), std::min(chunk, form.samples), backend.host_allocator()),
      on_device_(backend) {}

void ChunkPredictor::append(const PredictPlan::Run& chunk, PredictPortion& portion) {
  ids_.resize(static_cast<std::size_t>(chunk.count));
  std::iota(ids_.begin(), ids_.end(), chunk.first);
  buffer_.fill(*on_.problem, on_.split, ids_);
  if (form_.sequences) {
    append_symbols(portion);
  } else {
    append_samples(portion);
  }
}

void ChunkPredictor::append_samples(PredictPortion& portion) {
  const Batch& batch = buffer_.batch();
  const auto count = static_cast<std::size_t>(batch.size());
  const std::span values = extend(portion.values, count * static_cast<std::size_t>(form_.outputs));
  const std::span classes = extend(portion.classes, form_.classes() ? count : 0);
  Pass pass{.backend = backend_, .parameters = saved_.parameters(), .mode = Pass::Mode::evaluate};
  saved_.model().predict(on_device_.take(batch), pass, values, classes);
  check_finite<float>(values);
  append_top(values, classes, portion);
}

void ChunkPredictor::append_symbols(PredictPortion& portion) {
  const Batch& batch = buffer_.batch();
  const auto count = static_cast<std::size_t>(batch.size());
  const auto outputs = static_cast<std::size_t>(form_.outputs);
  probabilities_.resize(count * outputs);
  losses_.resize(count);
  const std::span classes = extend(portion.classes, count);
  Pass pass{.backend = backend_, .parameters = saved_.parameters(), .mode = Pass::Mode::evaluate};
  saved_.model().predict(on_device_.take(batch), pass, probabilities_, classes, losses_);
  check_finite<double>(losses_);

  const std::span values = extend(portion.values, count);
  const std::span losses = extend(portion.losses, count);
  const auto weights = batch.weights.span<float>();
  for (std::size_t row = 0; row < count; ++row) {
    values[row] = probabilities_[row * outputs + static_cast<std::size_t>(classes[row])];
    losses[row] = weights[row] == 0 ? 0 : static_cast<float>(losses_[row]);
  }
  append_top(probabilities_, classes, portion);
  std::ranges::copy(batch.targets.span<std::int32_t>(), std::back_inserter(portion.targets));
  for (const SequenceRows& rows : batch.sequences) {
    portion.lengths.push_back(static_cast<std::int32_t>(rows.end - rows.begin));
  }
}

// probabilities: (B, outputs).
void ChunkPredictor::append_top(std::span<const float> probabilities, std::span<const std::int32_t> classes,
                                PredictPortion& portion) {
  if (form_.top == 0) return;
  const auto outputs = static_cast<std::size_t>(form_.outputs);
  const auto each = static_cast<std::size_t>(form_.top);
  const std::span top = extend(portion.top, classes.size() * each);
  const std::span top_probabilities = extend(portion.top_probabilities, top.size());
  for (std::size_t row = 0; row < classes.size(); ++row) {
    most_probable(probabilities.subspan(row * outputs, outputs), classes[row], top.subspan(row * each, each),
                  top_probabilities.subspan(row * each, each));
  }
}

template <class T>
void ChunkPredictor::check_finite(std::span<const T> values) const {
  const auto odd = std::ranges::find_if(values, [](T value) { return !std::isfinite(value); });
  if (odd == values.end()) return;
  const std::int64_t row = (odd - values.begin()) / form_.values_of_row();
  const std::int64_t id = buffer_.batch().row_ids.span<std::int64_t>()[static_cast<std::size_t>(row)];
  const std::string where = form_.sequences
                                ? fmt::format("sample {}, position {}", id / kMostPositions, id % kMostPositions)
                                : fmt::format("sample {}", id);
  throw Error(ExitCode::internal,
              fmt::format("'{}' predicts {}{} for {} (counted from 0) of the {} split: its parameters are no good, "
                          "or the inputs are far from those it was trained on; try an earlier checkpoint",
                          saved_.checkpoint().file, form_.sequences ? "a loss of " : "", *odd, where, name(on_.split)));
}

}  // namespace lockstep
