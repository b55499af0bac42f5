#include <cstdint>

#include <device_code.h>
#include "tensor/attention_checks.h"
#include "tensor/cuda/attention_launch.h"
#include "tensor/cuda/attention_rows.h"
#include "tensor/cuda/attention_weights.h"
#include "tensor/cuda/cuda_backend.h"

namespace lockstep {
namespace {

// means (rows, heads) = dout * out, head by head: a warp for each.
template <class T>
__global__ void multiply_heads_kernel(const T* out, const float* dout, std::int64_t count, int head_dim, float* means) {
  const std::int64_t i = first_index() / kWarp;
  if (i >= count) return;
  float sum = 0;
  for (int c = own_lane(); c < head_dim; c += kWarp) sum += as_float(out[i * head_dim + c]) * dout[i * head_dim + c];
  sum = reduce_warp(sum, Sum());
  if (own_lane() == 0) means[i] = sum;
}

// The backward pass's data of a query besides its rows.
struct QuerySums {
  float log_sum;
  float mean;
};

template <class T>
__device__ QuerySums sums_of(const AttentionCall& call, const AttentionGradientCall<T>& gradient, std::int64_t row,
                             int head) {
  const std::int64_t i = row * call.heads + head;
  return {gradient.log_sums[i], gradient.means[i]};
}

// From scores and d_weights, a tile's products q k^T and dout v^T: scores become the weights p after dropout z, and
// d_weights the gradients p * (z * d_weights - mean) of the scores, where `mean` of a query is
// sum(p * z * d_weights) = dout * out. sums: of the queries of a thread's elements.
template <int kTiles, class Sums>
__device__ void soften_backward(const AttentionCall& call, const ScorePlace& place, std::int64_t row_id, int head,
                                const ActiveColumns& active, const Sums& sums, WarpTiles<kTiles>& scores,
                                WarpTiles<kTiles>& d_weights) {
  LS_UNROLL
  for (int i = 0; i < kTiles; ++i) {
    float factors[4] = {1, 1, 1, 1};
    if (call.dropout.drops && active.has_tile(i)) draw_tile(call.dropout, place, row_id, head, i, factors);
    LS_UNROLL
    for (int e = 0; e < 4; ++e) {
      const QuerySums of_query = sums(i, e);
      const bool counts = active.has_tile(i) && place.sees(call.causal, i, e);
      const float weight = counts ? ::expf(scores[i][e] - of_query.log_sum) : 0;
      scores[i][e] = weight * factors[e];
      d_weights[i][e] = counts ? weight * (d_weights[i][e] * factors[e] - of_query.mean) : 0;
    }
  }
}

// dq: each block has some queries of a sequence and goes through the keys that they see.
template <class Factors>
__global__ void __launch_bounds__(Factors::kThreads, Factors::kBlocks)
    query_gradients_kernel(AttentionCall call, AttentionGradientCall<typename Factors::Result> gradient) {
  __shared__ typename Factors::Shared shared;
  const AttentionBlock block = call.blocks[static_cast<int>(blockIdx.x) / call.heads];
  const int head = static_cast<int>(blockIdx.x) % call.heads;
  const std::int64_t row = block.q_begin + block.first;
  const int of_warp = uniform_own_warp() * kTileRows;
  const int seen = call.causal ? block.first + block.count : block.keys;
  const HeadRows k(call.k, block.k_begin, seen, head, call.head_dim);
  const HeadRows v(call.v, block.k_begin, seen, head, call.head_dim);
  const std::int64_t row_id = call.dropout.drops ? call.dropout.row_ids[block.q_begin] : 0;

  QuerySums of_rows[2] = {};
  for (int half = 0; half < 2; ++half) {
    const int own = of_warp + own_row(2 * half);
    if (own < block.count) of_rows[half] = sums_of(call, gradient, row + own, head);
  }
  Factors factors(shared, {{HeadRows(call.q, row, block.count, head, call.head_dim, call.scale),
                            HeadRows(gradient.dout, row, block.count, head, call.head_dim)}});
  typename Factors::Results sums = {};
  for (int first = 0; first < seen; first += Factors::kColumns) {
    const ScorePlace place{AttentionRows::queries, block.first + of_warp, first, seen - first};
    const ActiveColumns active = place.active<Factors::kColumns>(call.causal, of_warp < block.count);
    typename Factors::Scores scores = {};
    typename Factors::Scores d_weights = {};
    factors.template add_left_product<0>(k.part(first, Factors::kColumns), active, scores);
    factors.template add_left_product<1>(v.part(first, Factors::kColumns), active, d_weights);
    soften_backward(
        call, place, row_id, head, active, [&](int, int e) { return of_rows[e / 2]; }, scores, d_weights);
    factors.add_score_product(d_weights, k.part(first, Factors::kColumns), active, sums);
  }
  write_rows(sums, {call.scale, call.scale}, gradient.dq, row, block.count, head, call.head_dim);
}

// dk and dv: each block has some keys of a sequence and goes through the queries that see them.
template <class Factors>
__global__ void key_gradients_kernel(AttentionCall call, AttentionGradientCall<typename Factors::Result> gradient) {
  __shared__ typename Factors::Shared shared;
  __shared__ QuerySums of_columns[Factors::kColumns];
  const AttentionBlock block = call.blocks[static_cast<int>(blockIdx.x) / call.heads];
  const int head = static_cast<int>(blockIdx.x) % call.heads;
  const std::int64_t row = block.k_begin + block.first;
  const int of_warp = uniform_own_warp() * kTileRows;
  const HeadRows q(call.q, block.q_begin, block.queries, head, call.head_dim, call.scale);
  const HeadRows dout(gradient.dout, block.q_begin, block.queries, head, call.head_dim);
  const std::int64_t row_id = call.dropout.drops && block.queries > 0 ? call.dropout.row_ids[block.q_begin] : 0;

  Factors factors(shared, {{HeadRows(call.k, row, block.count, head, call.head_dim),
                            HeadRows(call.v, row, block.count, head, call.head_dim)}});
  typename Factors::Results dk = {};
  typename Factors::Results dv = {};
  for (int first = call.causal ? block.first : 0; first < block.queries; first += Factors::kColumns) {
    const ScorePlace place{AttentionRows::keys, block.first + of_warp, first, block.queries - first};
    const ActiveColumns active = place.active<Factors::kColumns>(call.causal, of_warp < block.count);
    const int own = static_cast<int>(threadIdx.x);
    if (own < Factors::kColumns && first + own < block.queries) {
      of_columns[own] = sums_of(call, gradient, block.q_begin + first + own, head);
    }
    const HeadRows some_q = q.part(first, Factors::kColumns);
    const HeadRows some_dout = dout.part(first, Factors::kColumns);
    typename Factors::Scores scores = {};
    typename Factors::Scores d_weights = {};
    factors.template add_left_product<0>(some_q, active, scores);
    factors.template add_left_product<1>(some_dout, active, d_weights);
    soften_backward(
        call, place, row_id, head, active, [](int i, int e) { return of_columns[i * kTileColumns + own_column(e)]; },
        scores, d_weights);
    factors.add_score_product(scores, some_dout, active, dv);
    factors.add_score_product(d_weights, some_q, active, dk);
  }
  write_rows(dk, {1, 1}, gradient.dk, row, block.count, head, call.head_dim);
  write_rows(dv, {1, 1}, gradient.dv, row, block.count, head, call.head_dim);
}

}  // namespace

void CudaBackend::attend_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                                  std::span<const AttentionSequence> sequences, const AttentionOperands& inputs,
                                  const Tensor& out, const Tensor& log_sums, const Tensor& dout,
                                  const AttentionOperands& gradients) {
  begin({inputs.q.matrix, inputs.k.matrix, inputs.v.matrix, dropout.row_ids, out, log_sums, dout, gradients.q.matrix,
         gradients.k.matrix, gradients.v.matrix});
  check_attention(shape, dropout, sequences, inputs, out, log_sums);
  check_attention_gradients(shape, sequences, out, dout, gradients);
  check_factors(shape);
  AttentionCall call = attention_call(shape, dropout, inputs);
  auto* const means = static_cast<float*>(scratch(log_sums.bytes()));
  constexpr int kWarpsOfBlock = kElementThreads / kWarp;
  on_factors<2>(shape, [&]<class Factors>() {
    using Result = typename Factors::Result;
    launch(stream_, {.blocks = (log_sums.count() + kWarpsOfBlock - 1) / kWarpsOfBlock, .threads = kElementThreads},
           &multiply_heads_kernel<Result>, data_of<Result>(out), data_of<float>(dout), log_sums.count(), call.head_dim,
           means);
    const AttentionGradientCall<Result> gradient{.log_sums = data_of<float>(log_sums),
                                                 .means = means,
                                                 .dout = {data_of<float>(dout), shape.heads * shape.head_dim},
                                                 .dq = columns_of<Result>(gradients.q),
                                                 .dk = columns_of<Result>(gradients.k),
                                                 .dv = columns_of<Result>(gradients.v)};
    const auto of_queries = plan_attention(shape, sequences, AttentionRows::queries, Factors::kRows);
    call.blocks = lists_.upload(std::span(of_queries), stream_);
    launch(stream_, grid_of<Factors>(of_queries, shape), &query_gradients_kernel<Factors>, call, gradient);
    const auto of_keys = plan_attention(shape, sequences, AttentionRows::keys, Factors::kRows);
    call.blocks = lists_.upload(std::span(of_keys), stream_);
    launch(stream_, grid_of<Factors>(of_keys, shape), &key_gradients_kernel<Factors>, call, gradient);
  });
}

}  // namespace lockstep
