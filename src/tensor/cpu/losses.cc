#include "tensor/cpu/loss_kernels.h"

namespace lockstep::cpu {
namespace {

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

void mean_squared_error(const float* predictions, const float* targets, const float* weights, float* gradient,
                        double* sums, std::int64_t rows, std::int64_t width) {
  mean_squared_error_any(predictions, targets, weights, gradient, sums, rows, width);
}
void mean_squared_error(const double* predictions, const float* targets, const float* weights, double* gradient,
                        double* sums, std::int64_t rows, std::int64_t width) {
  mean_squared_error_any(predictions, targets, weights, gradient, sums, rows, width);
}

}  // namespace lockstep::cpu
