#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "base/multiversion.h"
#include "tensor/cpu/generation.h"
#include "tensor/cpu/loss_kernels.h"
#include "tensor/cpu/norm_chunks.h"
#include "tensor/half_types.h"

namespace lockstep::cpu {
namespace {

// With targets t_j = (1 - s) [j = label] + s / C for smoothing s, whose sum is 1:
// loss = log(sum_j exp(z_j)) - sum_j t_j z_j, with the largest logit taken out of both so that exp cannot overflow;
// d loss / d z_j = softmax_j - t_j. Sums over rows in double precision. A row's logits are read before its gradient is
// written, which may lie where they do or, of a narrower type, before that; `row` holds it until it is rounded.
template <class Row, class T, class To>
void cross_entropy(double label_smoothing, const T* logits, const std::int32_t* labels, const float* weights,
                   To* gradient, T* row, double* sums, std::int64_t rows, std::int64_t classes) {
  constexpr bool rounds = !std::is_same_v<T, To>;
  const double off = label_smoothing / static_cast<double>(classes);  // the target of every class but for the label's
  const double on = 1 - label_smoothing;                              // added to it for the label's
  double loss = 0;
  double total_weight = 0;
  double correct = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    const T* const z = logits + i * classes;
    T* g = nullptr;
    if (gradient != nullptr) {
      if constexpr (rounds) {
        g = row;
      } else {
        g = gradient + i * classes;
      }
    }
    const std::int32_t label = labels[i];
    const auto weight = static_cast<double>(weights[i]);
    const T largest = Row::largest(z, classes);
    const bool is_first_largest = z[label] == largest && std::find(z, z + label, largest) == z + label;
    double distance = on * (static_cast<double>(largest) - static_cast<double>(z[label]));  // sum of t * (largest - z)
    if (off > 0) distance += off * (static_cast<double>(largest) * static_cast<double>(classes) - Row::sum(z, classes));
    const T total = Row::exponentials(z, largest, g, classes);
    loss += weight * (std::log(static_cast<double>(total)) + distance);
    total_weight += weight;
    if (is_first_largest && !std::isnan(total)) correct += weight;  // NaN: a NaN logit
    if (g == nullptr) continue;
    Row::scale(g, static_cast<T>(weights[i]) / total, static_cast<T>(weight * off), classes);
    g[label] -= static_cast<T>(weight * on);
    if constexpr (rounds) Row::round(g, gradient + i * classes, classes);
  }
  sums[0] = loss;
  sums[1] = total_weight;
  sums[2] = correct;
}

namespace softmax_oldest {
using Lanes = FloatsOfRegister<4>::Type;
#include "tensor/cpu/softmax_rows.inc"
}  // namespace softmax_oldest

#if defined(__x86_64__) && !defined(__clang__)
namespace softmax_v3 {
using Lanes = FloatsOfRegister<8>::Type;
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#include "tensor/cpu/softmax_rows.inc"
#pragma GCC pop_options
}  // namespace softmax_v3
namespace softmax_v4 {
using Lanes = FloatsOfRegister<16>::Type;
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
#include "tensor/cpu/softmax_rows.inc"
#pragma GCC pop_options
}  // namespace softmax_v4
#else
namespace softmax_v3 = softmax_oldest;
namespace softmax_v4 = softmax_oldest;
#endif

struct DoubleRow {
  static double largest(const double* z, std::int64_t count) { return *std::max_element(z, z + count); }
  static double exponentials(const double* z, double largest, double* to, std::int64_t count) {
    double total = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const double e = std::exp(z[i] - largest);
      total += e;
      if (to != nullptr) to[i] = e;
    }
    return total;
  }
  static double sum(const double* z, std::int64_t count) { return sum_of(z, count); }
  static void scale(double* e, double by, double others, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) e[i] = e[i] * by - others;
  }
};

template <class To>
void softmax_loss_of(Generation generation, double label_smoothing, const float* logits, const std::int32_t* labels,
                     const float* weights, To* gradient, float* row, double* sums, std::int64_t rows,
                     std::int64_t classes) {
  switch (generation) {
    case Generation::v4:
      return softmax_v4::loss(label_smoothing, logits, labels, weights, gradient, row, sums, rows, classes);
    case Generation::v3:
      return softmax_v3::loss(label_smoothing, logits, labels, weights, gradient, row, sums, rows, classes);
    case Generation::oldest:
      return softmax_oldest::loss(label_smoothing, logits, labels, weights, gradient, row, sums, rows, classes);
  }
}

}  // namespace

void softmax_cross_entropy(double label_smoothing, const float* logits, const std::int32_t* labels,
                           const float* weights, float* gradient, double* sums, std::int64_t rows, std::int64_t classes,
                           Generation generation) {
  softmax_loss_of(generation, label_smoothing, logits, labels, weights, gradient, nullptr, sums, rows, classes);
}
void softmax_cross_entropy(double label_smoothing, const float* logits, const std::int32_t* labels,
                           const float* weights, BFloat16* gradient, float* row, double* sums, std::int64_t rows,
                           std::int64_t classes, Generation generation) {
  softmax_loss_of(generation, label_smoothing, logits, labels, weights, gradient, row, sums, rows, classes);
}
void softmax_cross_entropy(double label_smoothing, const double* logits, const std::int32_t* labels,
                           const float* weights, double* gradient, double* sums, std::int64_t rows,
                           std::int64_t classes) {
  cross_entropy<DoubleRow>(label_smoothing, logits, labels, weights, gradient, static_cast<double*>(nullptr), sums,
                           rows, classes);
}

}  // namespace lockstep::cpu
