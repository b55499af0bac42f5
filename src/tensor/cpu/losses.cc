#include <algorithm>
#include <cmath>

#include "tensor/cpu/kernels.h"

namespace lockstep::cpu {
namespace {

// loss = log(sum_j exp(z_j)) - z_label, with the largest logit taken out so that exp cannot overflow;
// d loss / d z_j = softmax_j - [j = label]. Sums over rows in double precision.
template <class T>
void softmax_cross_entropy_any(const T* logits, const std::int32_t* labels, const float* weights, T* gradient,
                               double* sums, std::int64_t rows, std::int64_t classes) {
  double loss = 0;
  double weight = 0;
  double correct = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    const T* z = logits + i * classes;
    const T* largest = std::max_element(z, z + classes);
    T total = 0;
    for (std::int64_t j = 0; j < classes; ++j) {
      const T e = std::exp(z[j] - *largest);
      if (gradient != nullptr) gradient[i * classes + j] = e;
      total += e;
    }
    const std::int32_t label = labels[i];
    loss += static_cast<double>(weights[i]) *
            (std::log(static_cast<double>(total)) + static_cast<double>(*largest) - static_cast<double>(z[label]));
    weight += static_cast<double>(weights[i]);
    if (largest - z == label) correct += static_cast<double>(weights[i]);
    if (gradient != nullptr) {
      T* g = gradient + i * classes;
      const T by = static_cast<T>(weights[i]) / total;
      for (std::int64_t j = 0; j < classes; ++j) g[j] *= by;
      g[label] -= static_cast<T>(weights[i]);
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

void softmax_cross_entropy(const float* logits, const std::int32_t* labels, const float* weights, float* gradient,
                           double* sums, std::int64_t rows, std::int64_t classes) {
  softmax_cross_entropy_any(logits, labels, weights, gradient, sums, rows, classes);
}
void softmax_cross_entropy(const double* logits, const std::int32_t* labels, const float* weights, double* gradient,
                           double* sums, std::int64_t rows, std::int64_t classes) {
  softmax_cross_entropy_any(logits, labels, weights, gradient, sums, rows, classes);
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
