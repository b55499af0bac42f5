#pragma once

#include "tensor/cpu/attention_case.h"
#include "tensor/cuda/gpu_under_test.h"

namespace lockstep {

using GpuAttention = cpu::AttentionCase<float>;

inline GpuAttention attention_case(const AttentionShape& shape, const std::vector<AttentionSequence>& sequences) {
  GpuAttention made;
  made.shape = shape;
  made.sequences = sequences;
  for (const AttentionSequence& s : sequences) made.rows = std::max({made.rows, s.q_end, s.k_end});
  made.fill();
  return made;
}

inline GpuAttention attention_case(const AttentionShape& shape, std::int64_t length) {
  return attention_case(shape, {{0, length, 0, length}});
}

inline AttentionShape attention_shape(std::int64_t heads, std::int64_t head_dim, bool causal,
                                      DType factors = DType::float32) {
  return {.heads = heads,
          .head_dim = head_dim,
          .scale = 1 / std::sqrt(static_cast<double>(head_dim)),
          .causal = causal,
          .factors = factors};
}

// Results in the type of a product's factors, and read as float32.
inline std::vector<float> as_results(const std::vector<float>& of, float) { return of; }
inline std::vector<BFloat16> as_results(const std::vector<float>& of, BFloat16) { return cpu::narrowed_all(of); }
inline std::vector<float> in_float32(const std::vector<float>& of) { return of; }
inline std::vector<float> in_float32(const std::vector<BFloat16>& of) { return cpu::widened_all(of); }

// Placement of the matrices of a run: after that many elements of NaN, in rows of qkv with others at their ends.
struct AttentionPlace {
  std::int64_t qkv_first = 0;
  std::int64_t qkv_behind = 0;
  std::int64_t dout_first = 0;
};

// Places the rows of qkv among other elements.
inline Host<float> placed_qkv(const GpuAttention& run, const AttentionPlace& place) {
  const std::int64_t from_step = 3 * run.width();
  const std::int64_t to_step = place.qkv_first + from_step + place.qkv_behind;
  auto placed = Host<float>::of({run.rows, to_step}, OnGpu<float>::poison(run.rows * to_step));
  for (std::int64_t row = 0; row < run.rows; ++row) {
    std::copy_n(run.qkv.begin() + row * from_step, from_step, placed.data.begin() + row * to_step + place.qkv_first);
  }
  return placed;
}

inline Host<float> placed_dout(const GpuAttention& run, const AttentionPlace& place) {
  std::vector<float> placed = OnGpu<float>::poison(place.dout_first);
  placed.insert(placed.end(), run.dout.begin(), run.dout.end());
  return Host<float>::of({static_cast<std::int64_t>(placed.size())}, placed);
}

// Runs both passes on the GPU; results replace those in the case.
template <class Result>
void run_on_gpu(Backend& backend, GpuAttention& run, const AttentionPlace& place) {
  const std::int64_t width = run.width();
  const OnGpu<float> qkv(backend, placed_qkv(run, place));
  const OnGpu<float> dout_there(backend, placed_dout(run, place));
  const Tensor dout = dout_there.tensor.flat({place.dout_first, dout_there.tensor.count()}).reshaped({run.rows, width});
  const OnGpu<std::int64_t> row_ids(backend, Host<std::int64_t>::of({run.rows}, run.row_ids));
  const OnGpu<Result> out(backend, Host<Result>::of({run.rows, width}, as_results(run.out, Result())));
  const OnGpu<float> log_sums(backend, Host<float>::of({run.rows, run.shape.heads}, run.log_sums));
  const OnGpu<Result> dqkv(backend, Host<Result>::of({run.rows, 3 * width}, as_results(run.dqkv, Result())));
  const auto parts = [&](const Tensor& of, std::int64_t first) {
    return AttentionOperands{.q = {of, first}, .k = {of, first + width}, .v = {of, first + 2 * width}};
  };
  const AttentionOperands inputs = parts(qkv.tensor, place.qkv_first);
  AttentionDropout dropout = run.dropout;
  dropout.row_ids = row_ids.tensor;
  std::vector<AttentionSequence> sequences = run.sequences;
  backend.attend(run.shape, dropout, sequences, inputs, out.tensor, log_sums.tensor);
  backend.attend_backward(run.shape, dropout, sequences, inputs, out.tensor, log_sums.tensor, dout,
                          parts(dqkv.tensor, 0));
  sequences.assign(sequences.size(), {});  // the caller may reuse them
  run.out = in_float32(out.read());
  run.log_sums = log_sums.read();
  run.dqkv = in_float32(dqkv.read());
}
inline void run_on_gpu(Backend& backend, GpuAttention& run, const AttentionPlace& place = {}) {
  run.shape.factors == DType::bfloat16 ? run_on_gpu<BFloat16>(backend, run, place)
                                       : run_on_gpu<float>(backend, run, place);
}

}  // namespace lockstep
