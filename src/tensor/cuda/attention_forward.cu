#include <cstdint>

#include <device_code.h>
#include "tensor/attention_checks.h"
#include "tensor/cuda/attention_launch.h"
#include "tensor/cuda/attention_rows.h"
#include "tensor/cuda/attention_weights.h"
#include "tensor/cuda/cuda_backend.h"

namespace lockstep {
namespace {

// Applies dropout to the weights of a warp's rows.
template <int kTiles>
__device__ void drop(const WeightDropout& dropout, const ScorePlace& place, std::int64_t row_id, int head,
                     const ActiveColumns& active, WarpTiles<kTiles>& weights) {
  LS_UNROLL
  for (int i = 0; i < kTiles; ++i) {
    if (!active.has_tile(i)) continue;
    float factors[4];
    draw_tile(dropout, place, row_id, head, i, factors);
    LS_UNROLL
    for (int e = 0; e < 4; ++e) weights[i][e] *= factors[e];
  }
}

template <int kTiles>
__device__ void hide(const ScorePlace& place, bool causal, WarpTiles<kTiles>& scores) {
  LS_UNROLL
  for (int i = 0; i < kTiles; ++i) {
    LS_UNROLL
    for (int e = 0; e < 4; ++e) scores[i][e] = place.sees(causal, i, e) ? scores[i][e] : kHidden;
  }
}

template <int kChunks>
__device__ void scale_rows(const float (&factor)[2], WarpTiles<kChunkColumns / kTileColumns> (&sums)[kChunks]) {
  LS_UNROLL
  for (int c = 0; c < kChunks; ++c) {
    LS_UNROLL
    for (int i = 0; i < kChunkColumns / kTileColumns; ++i) {
      LS_UNROLL
      for (int e = 0; e < 4; ++e) sums[c][i][e] *= factor[e / 2];
    }
  }
}

// Each block has some queries of a sequence and goes through the keys that they see ("FlashAttention", Dao et al.
// 2022).
template <class Factors>
__global__ void __launch_bounds__(Factors::kThreads, Factors::kBlocks)
    attend_kernel(AttentionCall call, AttentionResults<typename Factors::Result> results) {
  __shared__ typename Factors::Shared shared;
  const AttentionBlock block = call.blocks[static_cast<int>(blockIdx.x) / call.heads];
  const int head = static_cast<int>(blockIdx.x) % call.heads;
  const std::int64_t row = block.q_begin + block.first;
  const int of_warp = uniform_own_warp() * kTileRows;
  const int seen = call.causal ? block.first + block.count : block.keys;
  const HeadRows k(call.k, block.k_begin, seen, head, call.head_dim);
  const HeadRows v(call.v, block.k_begin, seen, head, call.head_dim);
  const std::int64_t row_id = call.dropout.drops ? call.dropout.row_ids[block.q_begin] : 0;

  Factors factors(shared, {{HeadRows(call.q, row, block.count, head, call.head_dim, call.scale)}});
  RunningSoftmax softmax;
  typename Factors::Results sums = {};
  for (int first = 0; first < seen; first += Factors::kColumns) {
    const ScorePlace place{AttentionRows::queries, block.first + of_warp, first, seen - first};
    const ActiveColumns active = place.active<Factors::kColumns>(call.causal, of_warp < block.count);
    typename Factors::Scores scores = {};
    factors.template add_left_product<0>(k.part(first, Factors::kColumns), active, scores);
    if (place.hides<Factors::kColumns>(call.causal)) hide(place, call.causal, scores);
    float shrink[2];
    softmax.take_in(active, scores, shrink);
    scale_rows(shrink, sums);
    if (call.dropout.drops) drop(call.dropout, place, row_id, head, active, scores);
    factors.add_score_product(scores, v.part(first, Factors::kColumns), active, sums);
  }

  float inverse[2];
  for (int half = 0; half < 2; ++half) {
    const float sum = reduce_row(softmax.sum[half], Sum());
    inverse[half] = seen > 0 ? 1 / sum : 0;
    const int own = of_warp + own_row(2 * half);
    if (own < block.count && own_column(0) == 0) {
      results.log_sums[(row + own) * call.heads + head] = softmax.maximum[half] + ::logf(sum);
    }
  }
  write_rows(sums, inverse, results.out, row, block.count, head, call.head_dim);
}

}  // namespace

void CudaBackend::attend(const AttentionShape& shape, const AttentionDropout& dropout,
                         std::span<const AttentionSequence> sequences, const AttentionOperands& inputs,
                         const Tensor& out, const Tensor& log_sums) {
  begin({inputs.q.matrix, inputs.k.matrix, inputs.v.matrix, dropout.row_ids, out, log_sums});
  check_attention(shape, dropout, sequences, inputs, out, log_sums);
  check_factors(shape);
  AttentionCall call = attention_call(shape, dropout, inputs);
  on_factors<1>(shape, [&]<class Factors>() {
    using Result = typename Factors::Result;
    const AttentionResults<Result> results{{data_of<Result>(out), shape.heads * shape.head_dim},
                                           data_of<float>(log_sums)};
    const auto blocks = plan_attention(shape, sequences, AttentionRows::queries, Factors::kRows);
    call.blocks = lists_.upload(std::span(blocks), stream_);
    launch(stream_, grid_of<Factors>(blocks, shape), &attend_kernel<Factors>, call, results);
  });
}

}  // namespace lockstep
