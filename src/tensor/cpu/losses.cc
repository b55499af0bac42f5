#include <algorithm>
#include <cmath>

#include "tensor/cpu/loss_kernels.h"

namespace lockstep::cpu {
namespace {

// With targets t_j = (1 - s) [j = label] + s / C for smoothing s, whose sum is 1:
// loss = log(sum_j exp(z_j)) - sum_j t_j z_j, with the largest logit taken out of both so that exp cannot overflow;
// d loss / d z_j = softmax_j - t_j. Sums over rows in double precision.
template <class T>
void softmax_cross_entropy_any(double label_smoothing, const T* logits, const std::int32_t* labels,
                               const float* weights, T* gradient, double* sums, std::int64_t rows,
                               std::int64_t classes) {
  const double off = label_smoothing / static_cast<double>(classes);  // the target of every class but for the label's
  const double on = 1 - label_smoothing;                              // what the label's has on top
  double loss = 0;
  double weight = 0;
  double correct = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    const T* z = logits + i * classes;
    const T* place = std::max_element(z, z + classes);
    const T largest = *place;
    const std::int32_t label = labels[i];
    const bool right = place - z == label;
    // All of z is read before the gradient, which may lie in its place, is written.
    double distance = on * (static_cast<double>(largest) - static_cast<double>(z[label]));  // sum of t * (largest - z)
    if (off > 0) {
      for (std::int64_t j = 0; j < classes; ++j) {
        distance += off * (static_cast<double>(largest) - static_cast<double>(z[j]));
      }
    }
    T total = 0;
    for (std::int64_t j = 0; j < classes; ++j) {
      const T e = std::exp(z[j] - largest);
      if (gradient != nullptr) gradient[i * classes + j] = e;
      total += e;
    }
    loss += static_cast<double>(weights[i]) * (std::log(static_cast<double>(total)) + distance);
    weight += static_cast<double>(weights[i]);
    if (right && !std::isnan(total)) correct += static_cast<double>(weights[i]);  // NaN: a NaN logit
    if (gradient != nullptr) {
      T* g = gradient + i * classes;
      const T by = static_cast<T>(weights[i]) / total;
      const T others = static_cast<T>(static_cast<double>(weights[i]) * off);
      for (std::int64_t j = 0; j < classes; ++j) g[j] = g[j] * by - others;
      g[label] -= static_cast<T>(static_cast<double>(weights[i]) * on);
    }
  }
  sums[0] = loss;
  sums[1] = weight;
  sums[2] = correct;
}

template <class T>
void mean_squared_error_any(const T* predictions, const float* targets, const float* weights, T* gradient, double* sums,
                            std::int64_t rows, std::int64_t width) {
  double loss = 0;
  double weight = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    const T slope = T(2) * static_cast<T>(weights[i]) / static_cast<T>(width);
    double squares = 0;
    for (std::int64_t j = i * width; j < (i + 1) * width; ++j) {
      const T difference = predictions[j] - static_cast<T>(targets[j]);
      squares += static_cast<double>(difference) * static_cast<double>(difference);
      if (gradient != nullptr) gradient[j] = slope * difference;
    }
    loss += static_cast<double>(weights[i]) * squares / static_cast<double>(width);
    weight += static_cast<double>(weights[i]);
  }
  sums[0] = loss;
  sums[1] = weight;
  sums[2] = 0;
}

}  // namespace

void softmax_cross_entropy(double label_smoothing, const float* logits, const std::int32_t* labels,
                           const float* weights, float* gradient, double* sums, std::int64_t rows,
                           std::int64_t classes) {
  softmax_cross_entropy_any(label_smoothing, logits, labels, weights, gradient, sums, rows, classes);
}
void softmax_cross_entropy(double label_smoothing, const double* logits, const std::int32_t* labels,
                           const float* weights, double* gradient, double* sums, std::int64_t rows,
                           std::int64_t classes) {
  softmax_cross_entropy_any(label_smoothing, logits, labels, weights, gradient, sums, rows, classes);
}

void mean_squared_error(const float* predictions, const float* targets, const float* weights, float* gradient,
                        double* sums, std::int64_t rows, std::int64_t width) {
  mean_squared_error_any(predictions, targets, weights, gradient, sums, rows, width);
}
void mean_squared_error(const double* predictions, const float* targets, const float* weights, double* gradient,
                        double* sums, std::int64_t rows, std::int64_t width) {
  mean_squared_error_any(predictions, targets, weights, gradient, sums, rows, width);
}

}  // namespace lockstep::cpu
