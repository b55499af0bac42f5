#include "tensor/cpu/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/multiversion.h"
#include "tensor/attention_checks.h"
#include "tensor/backend.h"
#include "tensor/cpu/attention_blocks.h"

namespace lockstep::cpu {
namespace {

namespace attention_oldest {
using Lanes = FloatsOfRegister<4>::Type;
using Words [[gnu::vector_size(16)]] = std::uint64_t;
constexpr int kTileVectors = 2;
#include "tensor/cpu/attention_loops.inc"
}  // namespace attention_oldest

#if defined(__x86_64__) && !defined(__clang__)
namespace attention_v3 {
using Lanes = FloatsOfRegister<8>::Type;
using Words [[gnu::vector_size(32)]] = std::uint64_t;
constexpr int kTileVectors = 2;
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#include "tensor/cpu/attention_loops.inc"
#pragma GCC pop_options
}  // namespace attention_v3
namespace attention_v4 {
using Lanes = FloatsOfRegister<16>::Type;
using Words [[gnu::vector_size(64)]] = std::uint64_t;
constexpr int kTileVectors = 4;
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
#include "tensor/cpu/attention_loops.inc"
#pragma GCC pop_options
}  // namespace attention_v4
#else
namespace attention_v3 = attention_oldest;
namespace attention_v4 = attention_oldest;
#endif

}  // namespace

void attention(const AttentionShape& shape, const AttentionDropout& dropout,
               std::span<const AttentionSequence> sequences, const AttentionInputs<float>& inputs,
               MatrixRows<float> out, float* log_sums, AttentionMemory& memory, Generation generation) {
  check_sequences(shape, sequences);
  switch (generation) {
    case Generation::v4:
      return attention_v4::forward(shape, dropout, sequences, inputs, out, log_sums, memory);
    case Generation::v3:
      return attention_v3::forward(shape, dropout, sequences, inputs, out, log_sums, memory);
    case Generation::oldest:
      return attention_oldest::forward(shape, dropout, sequences, inputs, out, log_sums, memory);
  }
}
void attention(const AttentionShape& shape, const AttentionDropout& dropout,
               std::span<const AttentionSequence> sequences, const AttentionInputs<double>& inputs,
               MatrixRows<double> out, double* log_sums, AttentionMemory& memory) {
  check_sequences(shape, sequences);
  attention_oldest::forward(shape, dropout, sequences, inputs, out, log_sums, memory);
}

void attention_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                        std::span<const AttentionSequence> sequences, const AttentionInputs<float>& inputs,
                        MatrixRows<const float> out, const float* log_sums, MatrixRows<const float> dout,
                        const AttentionGradients<float>& gradients, AttentionMemory& memory, Generation generation) {
  check_sequences(shape, sequences);
  switch (generation) {
    case Generation::v4:
      return attention_v4::backward(shape, dropout, sequences, inputs, out, log_sums, dout, gradients, memory);
    case Generation::v3:
      return attention_v3::backward(shape, dropout, sequences, inputs, out, log_sums, dout, gradients, memory);
    case Generation::oldest:
      return attention_oldest::backward(shape, dropout, sequences, inputs, out, log_sums, dout, gradients, memory);
  }
}
void attention_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                        std::span<const AttentionSequence> sequences, const AttentionInputs<double>& inputs,
                        MatrixRows<const double> out, const double* log_sums, MatrixRows<const double> dout,
                        const AttentionGradients<double>& gradients, AttentionMemory& memory) {
  check_sequences(shape, sequences);
  attention_oldest::backward(shape, dropout, sequences, inputs, out, log_sums, dout, gradients, memory);
}

}  // namespace lockstep::cpu
