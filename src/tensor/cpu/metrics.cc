#include <algorithm>
#include <cmath>

#include "tensor/cpu/loss_kernels.h"

namespace lockstep::cpu {
namespace {

// The position, from 0, of `label` in the logits sorted from the largest on, equal ones in their order; `classes`,
// after the last, if a logit is NaN.
template <class T>
std::int64_t place_of(std::int64_t label, const T* logits, std::int64_t classes) {
  std::int64_t before = 0;
  for (std::int64_t j = 0; j < classes; ++j) {
    if (std::isnan(logits[j])) return classes;
    if (logits[j] > logits[label] || (logits[j] == logits[label] && j < label)) ++before;
  }
  return before;
}

template <class T>
double count_in_top_any(std::int64_t k, const T* logits, const std::int32_t* labels, const float* weights,
                        std::int64_t rows, std::int64_t classes) {
  double sum = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    if (place_of(labels[i], logits + i * classes, classes) < std::min(k, classes)) {
      sum += static_cast<double>(weights[i]);
    }
  }
  return sum;
}

template <class T>
void regression_errors_any(const T* predictions, const float* targets, const float* weights, double* sums,
                           std::int64_t rows, std::int64_t width) {
  double squared = 0;
  double absolute = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    double squares = 0;
    double distances = 0;
    for (std::int64_t j = i * width; j < (i + 1) * width; ++j) {
      const double difference = static_cast<double>(predictions[j]) - static_cast<double>(targets[j]);
      squares += difference * difference;
      distances += std::abs(difference);
    }
    squared += static_cast<double>(weights[i]) * squares / static_cast<double>(width);
    absolute += static_cast<double>(weights[i]) * distances / static_cast<double>(width);
  }
  sums[0] = squared;
  sums[1] = absolute;
}

}  // namespace

double count_in_top(std::int64_t k, const float* logits, const std::int32_t* labels, const float* weights,
                    std::int64_t rows, std::int64_t classes) {
  return count_in_top_any(k, logits, labels, weights, rows, classes);
}
double count_in_top(std::int64_t k, const double* logits, const std::int32_t* labels, const float* weights,
                    std::int64_t rows, std::int64_t classes) {
  return count_in_top_any(k, logits, labels, weights, rows, classes);
}

void regression_errors(const float* predictions, const float* targets, const float* weights, double* sums,
                       std::int64_t rows, std::int64_t width) {
  regression_errors_any(predictions, targets, weights, sums, rows, width);
}
void regression_errors(const double* predictions, const float* targets, const float* weights, double* sums,
                       std::int64_t rows, std::int64_t width) {
  regression_errors_any(predictions, targets, weights, sums, rows, width);
}

}  // namespace lockstep::cpu
