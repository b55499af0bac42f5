#pragma once

#include <span>

#include "tensor/tensor.h"

namespace lockstep {

// The place of one sequence in a batch: its rows [begin, end), and the rows [source_begin, source_end) of the batch's
// source from which it is made; these two are equal if the problem has no source.
struct SequenceRows {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t source_begin = 0;
  std::int64_t source_end = 0;

  bool operator==(const SequenceRows&) const = default;
};

// The rows of one share of a step, in host memory or on a device. A view: the maker of the batch owns the memory. B may
// be 0 (a rank without data takes part with weight 0).
//
// A row is the unit of prediction: a picture, or one symbol of a sequence. Sequences follow one another without
// padding, so that operations on single rows (linear layers, norms, dropout, losses) know nothing of them; only
// attention, positions and measures of whole sequences look at `sequences`.
struct Batch {
  Tensor inputs;   // (B, ...) float32, or int32 ids of symbols: in a sequence, the one before each target
  Tensor targets;  // (B) int32 class labels, or (B, K) float32
  Tensor weights;  // (B) float32, 1 for a row that counts
  Tensor row_ids;  // (B) int64, global numbers of rows, which key random numbers. A picture's is its sample's

  // For problems of sequences.
  std::span<const SequenceRows> sequences{};  // on the host, in the order of their rows, which they cover
  Tensor source{};                            // (S) int32 ids of the symbols that the sequences are made from
  Tensor source_ids{};                        // (S) int64, as row_ids
  // (S), on the host: the position of each row of the source in its sequence. Padding among the rows is left out, as
  // nothing looks at it (tensor2tensor masks it), but it takes a position. Empty: nothing is left out.
  std::span<const std::int32_t> source_positions{};

  double weight = 0;  // sum of the weights, on the host, of a batch that was copied to a device (data/device_batch.h)

  std::int64_t size() const { return row_ids.count(); }  // rows
};

// Rows of sequences are numbered over all samples: sample * kMostPositions + position, in the source as well.
// So a sequence may have this many rows, and a training split 2^40 / kMostPositions sequences (base/random.h).
inline constexpr std::int64_t kMostPositions = 1 << 16;
inline constexpr std::int64_t kMostSequences = (std::int64_t{1} << 40) / kMostPositions;

}  // namespace lockstep
