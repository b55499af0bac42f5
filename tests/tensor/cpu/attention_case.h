#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "base/random.h"
#include "host_tensor.h"
#include "tensor/cpu/attention.h"
#include "tensor/cpu/attention_blocks.h"
#include "tensor/half_types.h"

namespace lockstep::cpu {

// One call of attention and all its arrays: q, k and v side by side in rows of one matrix, as are their gradients.
template <class T>
struct AttentionCase {
  AttentionShape shape;
  AttentionDropout dropout;
  std::vector<AttentionSequence> sequences;
  std::int64_t rows = 0;
  std::vector<T> qkv, out, log_sums, dout, dqkv;
  std::vector<std::int64_t> row_ids;
  AttentionMemory memory{};

  std::int64_t width() const { return shape.heads * shape.head_dim; }
  std::size_t values() const { return static_cast<std::size_t>(rows * width()); }

  // Allocates `rows` rows, numbered from 0, filled with random values in [-1, 1); results with NaN, so that unwritten
  // elements show.
  void fill() {
    qkv = Host<T>({rows, 3 * width()}, 1).data;
    dout = Host<T>({rows, width()}, 2).data;
    number_rows(0);
    out.assign(values(), std::numeric_limits<T>::quiet_NaN());
    dqkv.assign(3 * values(), std::numeric_limits<T>::quiet_NaN());
    log_sums.assign(static_cast<std::size_t>(rows * shape.heads), std::numeric_limits<T>::quiet_NaN());
  }
  void number_rows(std::int64_t first) {
    row_ids.resize(static_cast<std::size_t>(rows));
    std::iota(row_ids.begin(), row_ids.end(), first);
  }
  AttentionDropout numbered_dropout() {
    AttentionDropout numbered = dropout;
    numbered.row_ids = Tensor(row_ids.data(), DType::int64, {rows});
    return numbered;
  }
  AttentionInputs<T> inputs() const {
    const std::int64_t stride = 3 * width();
    return {.q = {qkv.data(), stride}, .k = {qkv.data() + width(), stride}, .v = {qkv.data() + 2 * width(), stride}};
  }
  AttentionGradients<T> gradients() {
    const std::int64_t stride = 3 * width();
    return {
        .dq = {dqkv.data(), stride}, .dk = {dqkv.data() + width(), stride}, .dv = {dqkv.data() + 2 * width(), stride}};
  }
  template <class... Generations>
  void forward(Generations... generation) {
    attention(shape, numbered_dropout(), sequences, inputs(), MatrixRows<T>{out.data(), width()}, log_sums.data(),
              memory, generation...);
  }
  template <class... Generations>
  void backward(Generations... generation) {
    attention_backward(shape, numbered_dropout(), sequences, inputs(), MatrixRows<const T>{out.data(), width()},
                       log_sums.data(), MatrixRows<const T>{dout.data(), width()}, gradients(), memory, generation...);
  }
};

// Values rounded to bfloat16 and back.
inline std::vector<BFloat16> narrowed_all(const std::vector<float>& from) {
  std::vector<BFloat16> to(from.size());
  std::ranges::transform(from, to.begin(), [](float value) { return narrowed<BFloat16>(value); });
  return to;
}
inline std::vector<float> widened_all(const std::vector<BFloat16>& from) {
  std::vector<float> to(from.size());
  std::ranges::transform(from, to.begin(), [](BFloat16 value) { return widened(value); });
  return to;
}

inline AttentionCase<double> doubled(const AttentionCase<float>& from) {
  AttentionCase<double> to{from.shape, from.dropout, from.sequences, from.rows, {}, {}, {}, {}, {}, {}};
  to.fill();
  to.row_ids = from.row_ids;
  to.qkv.assign(from.qkv.begin(), from.qkv.end());
  to.dout.assign(from.dout.begin(), from.dout.end());
  return to;
}

// Factor of one weight, as AttentionDropout defines it.
inline double dropout_factor(const AttentionDropout& dropout, std::uint64_t row_id, std::int64_t head,
                             std::int64_t key) {
  if (dropout.rate == 0) return 1;
  RandomStream stream = dropout.stream;
  stream.sample = row_id;
  const PhiloxBlock words = stream.block(static_cast<std::uint32_t>(head * (1 << 22) + key / 4));
  return words[static_cast<std::size_t>(key % 4)] >= dropout.rate * 0x1p32 ? 1 / (1 - dropout.rate) : 0;
}

// One query of one head by the formulas, all keys at once, in double precision: fills out and log_sums, and adds to the
// gradients.
class NaiveQuery {
 public:
  NaiveQuery(AttentionCase<double>& of, const AttentionSequence& sequence, std::int64_t query, std::int64_t head)
      : case_(of), sequence_(sequence), query_(query), head_(head) {
    const bool causal = case_.shape.causal;
    keys_ = causal ? query - sequence.q_begin + 1 : sequence.k_end - sequence.k_begin;
  }

  void run() {
    weigh();
    const std::int64_t head_dim = case_.shape.head_dim;
    const auto in = case_.inputs();
    const auto to = case_.gradients();
    const std::int64_t first = head_ * head_dim;
    double* const y = case_.out.data() + query_ * case_.width() + first;
    const double* const dy = case_.dout.data() + query_ * case_.width() + first;
    std::fill_n(y, head_dim, 0.0);
    std::vector<double> d_weights(weights_.size());
    double mean = 0;
    for (std::int64_t j = 0; j < keys_; ++j) {
      const std::int64_t row = sequence_.k_begin + j;
      const auto i = static_cast<std::size_t>(j);
      for (std::int64_t c = 0; c < head_dim; ++c) {
        y[c] += weights_[i] * factors_[i] * *in.v.row(row, first + c);
        d_weights[i] += factors_[i] * dy[c] * *in.v.row(row, first + c);
        *to.dv.row(row, first + c) += weights_[i] * factors_[i] * dy[c];
      }
      mean += weights_[i] * d_weights[i];
    }
    for (std::int64_t j = 0; j < keys_; ++j) {
      const auto i = static_cast<std::size_t>(j);
      const double d_score = weights_[i] * (d_weights[i] - mean) * case_.shape.scale;
      for (std::int64_t c = 0; c < head_dim; ++c) {
        *to.dq.row(query_, first + c) += d_score * *in.k.row(sequence_.k_begin + j, first + c);
        *to.dk.row(sequence_.k_begin + j, first + c) += d_score * *in.q.row(query_, first + c);
      }
    }
  }

 private:
  void weigh() {
    const auto in = case_.inputs();
    double largest = -std::numeric_limits<double>::infinity();
    for (std::int64_t j = 0; j < keys_; ++j) {
      double score = 0;
      for (std::int64_t c = head_ * case_.shape.head_dim; c < (head_ + 1) * case_.shape.head_dim; ++c) {
        score += case_.shape.scale * *in.q.row(query_, c) * *in.k.row(sequence_.k_begin + j, c);
      }
      weights_.push_back(score);
      largest = std::max(largest, score);
    }
    double sum = 0;
    for (double& weight : weights_) sum += weight = std::exp(weight - largest);
    for (double& weight : weights_) weight /= sum;
    const auto row_id = static_cast<std::uint64_t>(case_.row_ids[static_cast<std::size_t>(query_)]);
    for (std::int64_t j = 0; j < keys_; ++j) factors_.push_back(dropout_factor(case_.dropout, row_id, head_, j));
    case_.log_sums[static_cast<std::size_t>(query_ * case_.shape.heads + head_)] = largest + std::log(sum);
  }

  AttentionCase<double>& case_;
  const AttentionSequence& sequence_;
  std::int64_t query_;
  std::int64_t head_;
  std::int64_t keys_;
  std::vector<double> weights_;  // before dropout
  std::vector<double> factors_;  // from dropout
};

inline void naive_attention(AttentionCase<double>& of) {
  of.dqkv.assign(of.dqkv.size(), 0);
  for (const AttentionSequence& sequence : of.sequences) {
    for (std::int64_t query = sequence.q_begin; query < sequence.q_end; ++query) {
      for (std::int64_t head = 0; head < of.shape.heads; ++head) NaiveQuery(of, sequence, query, head).run();
    }
  }
}

}  // namespace lockstep::cpu
