#include <algorithm>
#include <cmath>

#include "tensor/cpu/loss_kernels.h"

namespace lockstep::cpu {
namespace {

// The targets of a row's outputs, one by one.
class RowTargets {
 public:
  RowTargets(const SigmoidTargets& targets, std::int64_t row, std::int64_t width)
      : numbers_(targets.numbers == nullptr ? nullptr : targets.numbers + row * width),
        label_(targets.labels == nullptr ? -1 : targets.labels[row]),
        off_(targets.label_smoothing / static_cast<double>(width)),
        on_(1 - targets.label_smoothing + off_) {}

  double operator[](std::int64_t k) const {
    if (numbers_ != nullptr) return static_cast<double>(numbers_[k]);
    return k == label_ ? on_ : off_;
  }
  std::int64_t label() const { return label_; }

 private:
  const float* numbers_;
  std::int64_t label_;
  double off_;
  double on_;
};

// For each output, with t its target: loss = log(1 + exp(z)) - t * z = max(z, 0) - t * z + log(1 + exp(-|z|)), which
// cannot overflow; d loss / d z = sigmoid(z) - t.
template <class T>
void sigmoid_cross_entropy_any(const SigmoidTargets& targets, const T* logits, const float* weights, T* gradient,
                               double* sums, std::int64_t rows, std::int64_t width) {
  double loss = 0;
  double weight = 0;
  double correct = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    const T* z = logits + i * width;
    const RowTargets target(targets, i, width);
    const auto row_weight = static_cast<double>(weights[i]);
    double row_loss = 0;
    for (std::int64_t k = 0; k < width; ++k) {
      const auto value = static_cast<double>(z[k]);
      const double e = std::exp(-std::abs(value));
      row_loss += (value > 0 ? value : 0) - target[k] * value + std::log1p(e);
      if (gradient == nullptr) continue;
      const double sigmoid = (value >= 0 ? 1 : e) / (1 + e);
      gradient[i * width + k] = static_cast<T>(row_weight * (sigmoid - target[k]));
    }
    loss += row_weight * row_loss;
    weight += row_weight;
    if (std::max_element(z, z + width) - z == target.label() && !std::isnan(row_loss)) correct += row_weight;
  }
  sums[0] = loss;
  sums[1] = weight;
  sums[2] = correct;
}

}  // namespace

void sigmoid_cross_entropy(const SigmoidTargets& targets, const float* logits, const float* weights, float* gradient,
                           double* sums, std::int64_t rows, std::int64_t width) {
  sigmoid_cross_entropy_any(targets, logits, weights, gradient, sums, rows, width);
}
void sigmoid_cross_entropy(const SigmoidTargets& targets, const double* logits, const float* weights, double* gradient,
                           double* sums, std::int64_t rows, std::int64_t width) {
  sigmoid_cross_entropy_any(targets, logits, weights, gradient, sums, rows, width);
}

}  // namespace lockstep::cpu
