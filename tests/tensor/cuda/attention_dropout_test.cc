#include <doctest/doctest.h>

#include "tensor/cuda/attention_on_gpu.h"

namespace lockstep {
namespace {

constexpr std::int64_t kFirstIds[] = {5, (std::int64_t{1} << 32) - 20, (std::int64_t{1} << 40) - 80};

AttentionDropout some_dropout() {
  return {.rate = 0.3, .stream = {.seed = 7, .purpose = Purpose::dropout, .stream = 4, .step = 9}};
}

TEST_CASE("with dropout, attention on the GPU and its gradients are those of the formulas") {
  on_gpu([](Backend& backend) {
    for (const DType factors : {DType::float32, DType::bfloat16}) {
      for (const bool causal : {false, true}) {
        for (const std::int64_t first_id : kFirstIds) {
          CAPTURE(name(factors));
          CAPTURE(causal);
          CAPTURE(first_id);
          GpuAttention run = attention_case(attention_shape(3, 5, causal, factors), 70);
          run.dropout = some_dropout();
          run.number_rows(first_id);
          cpu::AttentionCase<double> expected = cpu::doubled(run);
          naive_attention(expected);
          run_on_gpu(backend, run);
          // Weights are up to 1 / (1 - rate); bfloat16: attention_test.cc. Gradients reach 4.
          const double bound = factors == DType::bfloat16 ? 0.02 : 1e-5;
          CHECK(largest_difference(run.out, expected.out) < bound);
          CHECK(largest_difference(run.log_sums, expected.log_sums) < bound);
          CHECK(largest_difference(run.dqkv, expected.dqkv) < 2 * bound);
        }
      }
    }
  });
}

// If the values are the unit matrix, the outputs are a query's weights: equal ones, as the queries are 0, except for
// dropped ones. If the gradients of the outputs are the unit matrix, the values' gradients are a key's weights.
TEST_CASE("each weight that the GPU drops is one that the header tells, in both passes") {
  constexpr std::int64_t kLength = 37;
  constexpr std::int64_t kHeads = 2;
  on_gpu([](Backend& backend) {
    for (const DType factors : {DType::float32, DType::bfloat16}) {
      for (const bool causal : {false, true}) {
        GpuAttention run = attention_case(attention_shape(kHeads, 64, causal, factors), {{3, 40, 3, 40}});
        run.dropout = some_dropout();
        run.number_rows(100);
        run.row_ids[4] = -1;  // belongs to the first row's sequence
        const std::int64_t width = run.width();
        run.qkv.assign(run.qkv.size(), 0);
        run.dout.assign(run.dout.size(), 0);
        for (std::int64_t i = 0; i < kLength; ++i) {
          for (std::int64_t head = 0; head < kHeads; ++head) {
            run.qkv[static_cast<std::size_t>(((3 + i) * 3 + 2) * width + head * 64 + i)] = 1;
            run.dout[static_cast<std::size_t>((3 + i) * width + head * 64 + i)] = 1;
          }
        }
        run_on_gpu(backend, run);
        std::int64_t wrong = 0;
        for (std::int64_t head = 0; head < kHeads; ++head) {
          for (std::int64_t query = 0; query < kLength; ++query) {
            for (std::int64_t key = 0; key < kLength; ++key) {
              const auto id = static_cast<std::uint64_t>(103 + query);
              const bool kept = (!causal || key <= query) && cpu::dropout_factor(run.dropout, id, head, key) > 0;
              const std::int64_t column = head * 64;
              const float weight = run.out[static_cast<std::size_t>((3 + query) * width + column + key)];
              const float slope = run.dqkv[static_cast<std::size_t>(((3 + key) * 3 + 2) * width + column + query)];
              wrong += (weight != 0) == kept && (slope != 0) == kept ? 0 : 1;
            }
          }
        }
        CHECK(wrong == 0);
      }
    }
  });
}

}  // namespace
}  // namespace lockstep
