#pragma once

#include <cstdint>
#include <type_traits>

#include "base/random.h"
#include "tensor/cuda/attention_plan.h"
#include "tensor/cuda/device_data.h"

// Arguments of the kernels of attention: plain values and addresses on the GPU.
namespace lockstep {

// The columns of all heads in a matrix.
template <class T>
struct MatrixColumns {
  T* data = nullptr;
  std::int64_t stride = 0;  // elements from a row to the next
};

// Dropout of weights; tensor/attention.h defines the draw of each.
struct WeightDropout {
  bool drops = false;
  std::uint32_t threshold = 0;  // the lowest draw that keeps a weight
  float kept = 1;               // factor of weights that are kept
  RandomStream stream{};
  const std::int64_t* row_ids = nullptr;
};

inline constexpr int kWidestHead = 256;

struct AttentionCall {
  const AttentionBlock* blocks = nullptr;  // each launched for all heads, one after the other
  int heads = 1;
  int head_dim = 1;
  float scale = 1;
  bool causal = false;
  WeightDropout dropout;
  MatrixColumns<const float> q;
  MatrixColumns<const float> k;
  MatrixColumns<const float> v;
};

// All arguments but the blocks. REQUIRES: arguments that check_attention() accepts. Throws an internal Error for heads
// that are wider than kWidestHead.
AttentionCall attention_call(const AttentionShape& shape, const AttentionDropout& dropout,
                             const AttentionOperands& inputs);

template <class T>
MatrixColumns<T> columns_of(const AttentionColumns& columns) {
  T* const data = data_of<std::remove_const_t<T>>(columns.matrix);
  return {.data = data == nullptr ? nullptr : data + columns.first,
          .stride = columns.matrix.shape().without_front().elements()};
}

// T: the type of results, as AttentionShape::factors says.
template <class T>
struct AttentionResults {
  MatrixColumns<T> out;
  float* log_sums = nullptr;  // (query rows, heads)
};

template <class T>
struct AttentionGradientCall {
  const float* log_sums = nullptr;
  const float* means = nullptr;  // (query rows, heads): dout * out
  MatrixColumns<const float> dout;
  MatrixColumns<T> dq;
  MatrixColumns<T> dk;
  MatrixColumns<T> dv;
};

}  // namespace lockstep
