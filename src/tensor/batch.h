#pragma once

#include <span>

#include "tensor/tensor.h"

namespace lockstep {

// Where one sequence lies in a batch: its rows [begin, end), and of what it is made from the rows
// [source_begin, source_end) of the batch's source; equal where the problem has no source.
struct SequenceRows {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t source_begin = 0;
  std::int64_t source_end = 0;

  bool operator==(const SequenceRows&) const = default;
};

// The rows of one share of a step, in host memory or on a device. A view: whoever made the batch owns the memory.
// B may be 0 (a rank without data takes part with weight 0).
//
// A row is what a prediction is made for: a picture, or one symbol of a sequence. Sequences follow one another without
// padding, so that what works on rows by themselves (linear layers, norms, dropout, losses) knows nothing of them; only
// attention, positions and what measures whole sequences look at `sequences`.
struct Batch {
  Tensor inputs;   // (B, ...) float32, or int32 numbers of symbols: of a sequence, what stands before each target
  Tensor targets;  // (B) int32 class labels, or (B, K) float32
  Tensor weights;  // (B) float32, 1 for a row that counts
  Tensor row_ids;  // (B) int64, global numbers of rows: what random numbers are keyed by. Of a picture, its sample's

  // Of problems of sequences.
  std::span<const SequenceRows> sequences{};  // on the host, in the order of their rows, which they cover
  Tensor source{};                            // (S) int32 numbers of symbols: what the sequences are made from
  Tensor source_ids{};                        // (S) int64, as row_ids
  // (S), on the host: where in its sequence each row of the source stands, as padding among them is left out: nobody
  // looks at it (tensor2tensor masks it), but it takes a place. Empty: nothing is left out.
  std::span<const std::int32_t> source_positions{};

  double weight = 0;  // of all rows, on the host: of a batch that was copied to a device (data/device_batch.h)

  std::int64_t size() const { return row_ids.count(); }  // rows
};

// Rows of sequences are numbered over all samples: sample * kMostPositions + position, in its source as in itself.
// So a sequence may have this many rows, and a training split 2^40 / kMostPositions sequences (base/random.h).
inline constexpr std::int64_t kMostPositions = 1 << 16;
inline constexpr std::int64_t kMostSequences = (std::int64_t{1} << 40) / kMostPositions;

}  // namespace lockstep
