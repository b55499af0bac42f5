#include <doctest/doctest.h>

#include "tensor/cuda/attention_on_gpu.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

double rounded(double value) { return widened(narrowed<BFloat16>(static_cast<float>(value))); }

// Two rows and one column of a head, in double precision, with factors of products rounded to bfloat16.
void attend_rounded(cpu::AttentionCase<double>& run, std::size_t first) {
  const double scale = static_cast<float>(run.shape.scale);
  double q[2], k[2], v[2], dout[2];
  double dq[2] = {}, dk[2] = {}, dv[2] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    q[i] = rounded(scale * run.qkv[(first + i) * 3]);
    k[i] = rounded(run.qkv[(first + i) * 3 + 1]);
    v[i] = rounded(run.qkv[(first + i) * 3 + 2]);
    dout[i] = rounded(run.dout[first + i]);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const double maximum = std::max(q[i] * k[0], q[i] * k[1]);
    double sum = 0;
    double out = 0;
    for (std::size_t j = 0; j < 2; ++j) {
      const double weight = std::exp(q[i] * k[j] - maximum);
      sum += weight;
      out += rounded(weight) * v[j];
    }
    run.out[first + i] = out / sum;
    run.log_sums[first + i] = maximum + std::log(sum);
    const double mean = run.dout[first + i] * rounded(run.out[first + i]);
    for (std::size_t j = 0; j < 2; ++j) {
      const double weight = std::exp(q[i] * k[j] - run.log_sums[first + i]);
      const double d_score = rounded(weight * (dout[i] * v[j] - mean));
      dq[i] += scale * d_score * k[j];
      dk[j] += d_score * q[i];
      dv[j] += rounded(weight) * dout[i];
    }
  }
  for (std::size_t i = 0; i < 2; ++i) {
    run.dqkv[(first + i) * 3] = dq[i];
    run.dqkv[(first + i) * 3 + 1] = dk[i];
    run.dqkv[(first + i) * 3 + 2] = dv[i];
  }
}

// Returns whether each value is the bfloat16 nearest to the expected one, which is known to 1e-6.
bool rounded_alike(const std::vector<float>& values, const std::vector<double>& expected) {
  return std::ranges::equal(values, expected, [](float value, double exact) {
    const double half_step = std::ldexp(1, std::ilogb(exact) - 8);
    return value == rounded(value) && std::abs(value - exact) < half_step + 1e-6;
  });
}

// A missing or an extra rounding is an error of up to 2^-9: among so many values, some get another neighbour.
TEST_CASE("with bfloat16 factors the GPU rounds what goes into a product, and results, and nothing else") {
  on_gpu([](Backend& backend) {
    std::vector<AttentionSequence> sequences;
    for (std::int64_t i = 0; i < 8; ++i) sequences.push_back({2 * i, 2 * i + 2, 2 * i, 2 * i + 2});
    GpuAttention run = attention_case(attention_shape(1, 1, false, DType::bfloat16), sequences);
    run.shape.scale = 1.3;
    auto expected = cpu::doubled(run);
    for (std::size_t i = 0; i < 8; ++i) attend_rounded(expected, 2 * i);
    run_on_gpu(backend, run);
    CHECK(rounded_alike(run.out, expected.out));
    CHECK(largest_difference(run.log_sums, expected.log_sums) < 1e-6);
    CHECK(rounded_alike(run.dqkv, expected.dqkv));
  });
}

}  // namespace
}  // namespace lockstep
