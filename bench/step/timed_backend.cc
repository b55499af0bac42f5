#include "timed_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "clock.h"

namespace lockstep::bench {
namespace {

constexpr const char* kAttention = "attention";

// Forward and backward products of one linear layer have the same three numbers.
std::string row_of_product(const Product& product) {
  std::array<std::int64_t, 3> extents{product.m, product.n, product.k};
  std::ranges::sort(extents, std::ranges::greater());
  return fmt::format("{}x{}x{}", extents[0], extents[1], extents[2]);
}

Product product_of(const Tensor& a, Transpose a_op, Transpose b_op, const Tensor& c) {
  const std::int64_t m = c.shape()[0];
  const std::int64_t n = c.shape()[1];
  return {.form = a_op == Transpose::yes   ? Product::Form::a_transposed
                  : b_op == Transpose::yes ? Product::Form::b_transposed
                                           : Product::Form::plain,
          .m = m,
          .n = n,
          .k = a.count() / m,
          .dtype = a.dtype()};
}

}  // namespace

TimedBackend::Row& TimedBackend::row_of(const std::string& name) {
  const auto [row, fresh] = rows_.try_emplace(name);
  if (fresh) {
    row->second.times = times_.emplace_back(std::make_unique<LayerTimes>()).get();
    row->second.times->name = name;
    if (phase_ == Phase::backward) row->second.times->forward_us.push_back(0);  // of the pass before, which had none
  }
  return row->second;
}

template <class Operation>
void TimedBackend::timed(const std::string& row, const Operation& operation) {
  const double begin = now_us();
  operation();
  if (phase_ != Phase::none) row_of(row).us += now_us() - begin;
}

void TimedBackend::count(const std::string& row, const Product& product, std::int64_t calls) {
  if (!first_step_ || phase_ == Phase::none) return;
  Row& counted = row_of(row);
  (phase_ == Phase::forward ? counted.forward : counted.backward)[product] += calls;
}

// Whole square matrices, as a library would multiply them that cannot skip what causal attention does not see.
void TimedBackend::count_attention(const AttentionShape& shape, std::span<const AttentionSequence> sequences,
                                   std::int64_t products) {
  for (const AttentionSequence& sequence : sequences) {
    const Product product{Product::Form::b_transposed, sequence.q_end - sequence.q_begin,
                          sequence.k_end - sequence.k_begin, shape.head_dim, shape.factors};
    count(kAttention, product, products * shape.heads);
  }
}

void TimedBackend::end_pass() {
  for (auto& [name, row] : rows_) {
    (phase_ == Phase::forward ? row.times->forward_us : row.times->backward_us).push_back(row.us);
    row.us = 0;
  }
  if (phase_ == Phase::backward) first_step_ = false;
  phase_ = Phase::none;
}

void TimedBackend::add_floors() {
  for (auto& [name, row] : rows_) {
    for (const auto& [product, calls] : row.forward) row.times->forward_floor.emplace_back(product, calls);
    for (const auto& [product, calls] : row.backward) row.times->backward_floor.emplace_back(product, calls);
  }
}

void TimedBackend::product(const Tensor& a, Transpose a_op, const Tensor& b, Transpose b_op, const Tensor& c,
                           Write write, const Tensor& bias) {
  if (phase_ == Phase::none) return CpuBackend::product(a, a_op, b, b_op, c, write, bias);
  const Product shape = product_of(a, a_op, b_op, c);
  const std::string row = row_of_product(shape);
  count(row, shape, 1);
  timed(row, [&] { CpuBackend::product(a, a_op, b, b_op, c, write, bias); });
}

void TimedBackend::add(const Tensor& from, const Tensor& to) {
  timed("additions", [&] { CpuBackend::add(from, to); });
}

void TimedBackend::add(const Tensor& a, const Tensor& b, const Tensor& sum) {
  timed("additions", [&] { CpuBackend::add(a, b, sum); });
}

void TimedBackend::activate(Activation activation, const Tensor& x, const Tensor& y) {
  timed("activation", [&] { CpuBackend::activate(activation, x, y); });
}

void TimedBackend::activate_backward(Activation activation, const Tensor& x, const Tensor& y, const Tensor& dy,
                                     const Tensor& dx) {
  timed("activation", [&] { CpuBackend::activate_backward(activation, x, y, dy, dx); });
}

void TimedBackend::dropout(double rate, const RandomStream& stream, const Tensor& sample_ids, const Tensor& x,
                           const Tensor& y) {
  timed("dropout", [&] { CpuBackend::dropout(rate, stream, sample_ids, x, y); });
}

void TimedBackend::normalize(double epsilon, const Tensor& x, const Tensor& scale, const Tensor& shift, const Tensor& y,
                             const Tensor& mean, const Tensor& inverse_stddev) {
  timed("norms", [&] { CpuBackend::normalize(epsilon, x, scale, shift, y, mean, inverse_stddev); });
}

void TimedBackend::normalize_backward(const Tensor& x, const Tensor& scale, const Tensor& mean,
                                      const Tensor& inverse_stddev, const Tensor& dy, const Tensor& dx,
                                      const Tensor& dscale, const Tensor& dshift) {
  timed("norms", [&] { CpuBackend::normalize_backward(x, scale, mean, inverse_stddev, dy, dx, dscale, dshift); });
}

void TimedBackend::embed(const EmbeddingForm& form, const Tensor& table, const Tensor& ids, const Tensor& y,
                         Write write) {
  timed("embedding", [&] { CpuBackend::embed(form, table, ids, y, write); });
}

void TimedBackend::embed_backward(const EmbeddingForm& form, const Tensor& ids, const Tensor& dy, const Tensor& dtable,
                                  Write write) {
  timed("embedding", [&] { CpuBackend::embed_backward(form, ids, dy, dtable, write); });
}

void TimedBackend::attend(const AttentionShape& shape, const AttentionDropout& dropout,
                          std::span<const AttentionSequence> sequences, const AttentionOperands& inputs,
                          const Tensor& out, const Tensor& log_sums) {
  count_attention(shape, sequences, 2);
  timed(kAttention, [&] { CpuBackend::attend(shape, dropout, sequences, inputs, out, log_sums); });
}

void TimedBackend::attend_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                                   std::span<const AttentionSequence> sequences, const AttentionOperands& inputs,
                                   const Tensor& out, const Tensor& log_sums, const Tensor& dout,
                                   const AttentionOperands& gradients) {
  count_attention(shape, sequences, 4);
  timed(kAttention,
        [&] { CpuBackend::attend_backward(shape, dropout, sequences, inputs, out, log_sums, dout, gradients); });
}

void TimedBackend::convert(const Tensor& from, const Tensor& to) {
  timed("conversions", [&] { CpuBackend::convert(from, to); });
}

void TimedBackend::sum_rows(const Tensor& matrix, const Tensor& sums) {
  timed("sums of rows", [&] { CpuBackend::sum_rows(matrix, sums); });
}

}  // namespace lockstep::bench
