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

// Results of the type that factors of a product have, read as float32.
inline std::vector<float> as_results(const std::vector<float>& of, float) { return of; }
inline std::vector<BFloat16> as_results(const std::vector<float>& of, BFloat16) { return cpu::narrowed_all(of); }
inline std::vector<float> in_float32(const std::vector<float>& of) { return of; }
inline std::vector<float> in_float32(const std::vector<BFloat16>& of) { return cpu::widened_all(of); }

// Both passes on the GPU: results replace what the case has.
template <class Result>
void run_on_gpu(Backend& backend, GpuAttention& run) {
  const std::int64_t width = run.width();
  const OnGpu<float> qkv(backend, Host<float>::of({run.rows, 3 * width}, run.qkv));
  const OnGpu<float> dout(backend, Host<float>::of({run.rows, width}, run.dout));
  const OnGpu<std::int64_t> row_ids(backend, Host<std::int64_t>::of({run.rows}, run.row_ids));
  const OnGpu<Result> out(backend, Host<Result>::of({run.rows, width}, as_results(run.out, Result())));
  const OnGpu<float> log_sums(backend, Host<float>::of({run.rows, run.shape.heads}, run.log_sums));
  const OnGpu<Result> dqkv(backend, Host<Result>::of({run.rows, 3 * width}, as_results(run.dqkv, Result())));
  const auto parts = [&](const Tensor& of) {
    return AttentionOperands{.q = {of, 0}, .k = {of, width}, .v = {of, 2 * width}};
  };
  AttentionDropout dropout = run.dropout;
  dropout.row_ids = row_ids.tensor;
  std::vector<AttentionSequence> sequences = run.sequences;
  backend.attend(run.shape, dropout, sequences, parts(qkv.tensor), out.tensor, log_sums.tensor);
  backend.attend_backward(run.shape, dropout, sequences, parts(qkv.tensor), out.tensor, log_sums.tensor, dout.tensor,
                          parts(dqkv.tensor));
  sequences.assign(sequences.size(), {});  // the caller's to reuse
  run.out = in_float32(out.read());
  run.log_sums = log_sums.read();
  run.dqkv = in_float32(dqkv.read());
}
inline void run_on_gpu(Backend& backend, GpuAttention& run) {
  run.shape.factors == DType::bfloat16 ? run_on_gpu<BFloat16>(backend, run) : run_on_gpu<float>(backend, run);
}

}  // namespace lockstep
