#pragma once

#include <cstdint>

#include <device_code.h>
#include "tensor/cuda/attention_call.h"
#include "tensor/cuda/block_reduction.h"
#include "tensor/cuda/warp_tile.h"

// The work of attention on the scores of a warp, 16 of a block's own rows by the current columns, between its products.
namespace lockstep {

inline constexpr float kHidden = -3.402823466e38F;  // the lowest float: finite, so differences of two are 0, not NaN

// The place of a warp's scores in a sequence.
struct ScorePlace {
  AttentionRows rows = AttentionRows::queries;  // kind of the rows; the columns are of the other kind
  int first_row = 0;                            // the warp's, in the sequence
  int first_column = 0;
  int columns = 0;  // number from the first one to the end of the sequence

  __device__ int query(int tile, int e) const { return rows == AttentionRows::queries ? row(e) : column(tile, e); }
  __device__ int key(int tile, int e) const { return rows == AttentionRows::queries ? column(tile, e) : row(e); }
  __device__ int row(int e) const { return first_row + own_row(e); }
  __device__ int column(int tile, int e) const { return first_column + tile * kTileColumns + own_column(e); }

  __device__ bool sees(bool causal, int tile, int e) const {
    const bool exists = tile * kTileColumns + own_column(e) < columns;
    return exists && (!causal || key(tile, e) <= query(tile, e));
  }

  // Returns whether any of kColumns keys is hidden from any of the warp's queries. REQUIRES: rows are queries
  template <int kColumns>
  __device__ bool hides(bool causal) const {
    return columns < kColumns || (causal && first_column + kColumns - 1 > first_row);
  }

  // The columns that count for at least one of the warp's rows. has_rows: true if it has any.
  template <int kColumns>
  __device__ ActiveColumns active(bool causal, bool has_rows) const {
    const int end = columns < kColumns ? columns : kColumns;
    if (!has_rows) return {};
    if (!causal) return {.begin = 0, .end = end};
    if (rows == AttentionRows::queries) {
      const int seen = first_row + kTileRows - first_column;
      return {.begin = 0, .end = seen < end ? seen : end};
    }
    const int seeing = first_row - first_column;
    return {.begin = seeing > 0 ? seeing : 0, .end = end};
  }
};

// The draws of four neighbouring keys, which are the words of a block: bit i says that the weight of key 4 * four + i
// is kept.
__device__ inline unsigned draw_four(const WeightDropout& dropout, std::int64_t row_id, int head, int four) {
  RandomStream stream = dropout.stream;
  stream.sample = static_cast<std::uint64_t>(row_id);
  const PhiloxBlock words = stream.block(static_cast<std::uint32_t>(head) << 22 | static_cast<std::uint32_t>(four));
  unsigned kept = 0;
  for (unsigned i = 0; i < 4; ++i) kept |= (words[i] >= dropout.threshold ? 1U : 0U) << i;
  return kept;
}

// Draws the factors of the weights of a tile. A tile has 32 times four neighbouring keys of a query: a draw for each
// thread of the warp. row_id: that of the sequence's first query.
__device__ inline void draw_tile(const WeightDropout& dropout, const ScorePlace& place, std::int64_t row_id, int head,
                                 int tile, float (&factors)[4]) {
  const int column = place.first_column + tile * kTileColumns;
  const int lane = own_lane();
  const bool has_keys_beside = place.rows == AttentionRows::queries;
  const int query = has_keys_beside ? place.first_row + lane % kTileRows : column + lane % kTileColumns;
  const int four = has_keys_beside ? column / 4 + lane / kTileRows : place.first_row / 4 + lane / kTileColumns;
  const unsigned drawn = draw_four(dropout, row_id + query, head, four);
  unsigned of_four = 0;
  LS_UNROLL
  for (int e = 0; e < 4; ++e) {
    const int who =
        has_keys_beside ? own_row(e) + own_column(e) / 4 * kTileRows : own_column(e) + own_row(e) / 4 * kTileColumns;
    if (!has_keys_beside || e % 2 == 0) of_four = shuffle_from(drawn, who);  // it is the same for neighbouring keys
    const int bit = (has_keys_beside ? own_column(e) : own_row(e)) % 4;
    factors[e] = (of_four >> bit & 1U) != 0 ? dropout.kept : 0;
  }
}

// The running maximum and sum of a thread's two rows (Milakov and Gimelshein 2018, "Online normalizer calculation for
// softmax").
struct RunningSoftmax {
  float maximum[2] = {kHidden, kHidden};
  float sum[2] = {0, 0};  // sums over this thread's columns

  // Takes in scores, which become exp(score - maximum), zero in columns that are left out. shrink: the factor for sums
  // that were taken for the maximum before.
  template <int kTiles>
  __device__ void take_in(const ActiveColumns& active, WarpTiles<kTiles>& scores, float (&shrink)[2]) {
    LS_UNROLL
    for (int half = 0; half < 2; ++half) {
      float largest = maximum[half];
      LS_UNROLL
      for (int i = 0; i < kTiles; ++i) {
        if (!active.has_tile(i)) continue;
        largest = Maximum()(largest, Maximum()(scores[i][2 * half], scores[i][2 * half + 1]));
      }
      largest = reduce_row(largest, Maximum());
      shrink[half] = ::expf(maximum[half] - largest);
      maximum[half] = largest;
      sum[half] *= shrink[half];
      LS_UNROLL
      for (int i = 0; i < kTiles; ++i) {
        LS_UNROLL
        for (int e = 2 * half; e < 2 * half + 2; ++e) {
          scores[i][e] = active.has_tile(i) ? ::expf(scores[i][e] - largest) : 0;
          sum[half] += scores[i][e];
        }
      }
    }
  }
};

}  // namespace lockstep
