#include "model/transformer/sequence_counts.h"

#include <vector>

namespace lockstep {
namespace {

// Each logit before the label's is smaller, and none after it is larger. Comparisons with a NaN are false.
template <class T>
bool is_right(std::span<const T> logits, std::int32_t label) {
  const auto at = static_cast<std::size_t>(label);
  const T of_label = logits[at];
  std::size_t below = 0;
  for (std::size_t i = 0; i < at; ++i) below += logits[i] < of_label ? 1U : 0U;
  for (std::size_t i = at; i < logits.size(); ++i) below += logits[i] <= of_label ? 1U : 0U;
  return below == logits.size();
}

template <class T>
SequenceCounts count_of(const Tensor& logits, const Tensor& targets, const Tensor& weights,
                        std::span<const SequenceRows> sequences) {
  const auto outputs = static_cast<std::size_t>(logits.shape()[1]);
  const std::span<const T> all = logits.span<T>();
  const std::span<const std::int32_t> labels = targets.span<std::int32_t>();
  const std::span<const float> weighed = weights.span<float>();
  SequenceCounts counts;
  for (const SequenceRows& sequence : sequences) {
    bool counts_at_all = false;
    bool right = true;
    for (auto row = static_cast<std::size_t>(sequence.begin); row < static_cast<std::size_t>(sequence.end); ++row) {
      if (!(weighed[row] > 0)) continue;
      counts_at_all = true;
      right = right && is_right(all.subspan(row * outputs, outputs), labels[row]);
    }
    counts.sequences += counts_at_all ? 1 : 0;
    counts.correct_sequences += counts_at_all && right ? 1 : 0;
  }
  return counts;
}

}  // namespace

SequenceCounts count_sequences(const Tensor& logits, const Tensor& targets, const Tensor& weights,
                               std::span<const SequenceRows> sequences) {
  if (logits.dtype() == DType::float64) return count_of<double>(logits, targets, weights, sequences);
  return count_of<float>(logits, targets, weights, sequences);
}

SequenceCounts count_sequences_on(Backend& backend, LayerMemory& memory, const Tensor& logits, const Tensor& targets,
                                  const Tensor& weights, std::span<const SequenceRows> sequences) {
  const auto count = std::ssize(sequences);
  const Tensor right = memory.get(backend, DType::float64, {count});  // per sequence, its rows that count and are right
  for (std::int64_t i = 0; i < count; ++i) {
    const SequenceRows& rows = sequences[static_cast<std::size_t>(i)];
    backend.count_in_top(1, logits.rows(rows.begin, rows.end), targets.rows(rows.begin, rows.end),
                         weights.rows(rows.begin, rows.end), right.flat({i, i + 1}));
  }
  std::vector<double> of_right(sequences.size());
  std::vector<float> weighed(static_cast<std::size_t>(weights.count()));
  backend.copy(right, Tensor(of_right.data(), DType::float64, right.shape()));
  backend.copy(weights, Tensor(weighed.data(), DType::float32, weights.shape()));
  backend.synchronize();
  SequenceCounts counts;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    double all = 0;  // weights are 1 or 0, and their sums exact
    for (std::int64_t row = sequences[i].begin; row < sequences[i].end; ++row) {
      all += static_cast<double>(weighed[static_cast<std::size_t>(row)]);
    }
    counts.sequences += all > 0 ? 1 : 0;
    counts.correct_sequences += all > 0 && of_right[i] == all ? 1 : 0;
  }
  return counts;
}

}  // namespace lockstep
