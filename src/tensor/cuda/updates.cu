#include <cmath>
#include <cstdint>

#include <device_code.h>
#include "tensor/cuda/cuda_backend.h"
#include "tensor/cuda/device_data.h"
#include "tensor/cuda/each_element.h"
#include "tensor/cuda/update_factor.h"
#include "tensor/cuda/update_spans.h"

// The formulas are those of tensor/update_steps.h. Coefficients are worked out in double precision and rounded once, as
// on the CPU.
namespace lockstep {
namespace {

// The start of all updates: g = factor * gradient + l2 * value.
struct GradientForm {
  template <class Step>
  explicit GradientForm(const Step& step) : factor(step), l2(static_cast<float>(step.l2)) {}

  __device__ float operator()(float gradient, float value) const { return factor(gradient) + l2 * value; }

  UpdateFactor factor;
  float l2;
};

struct SgdUpdate {
  struct Operands {
    float value;
    float gradient;
  };
  __device__ bool begin() { return form.factor.read(); }
  __device__ Operands load(std::int64_t i) const { return {values[i], gradients[i]}; }
  __device__ void store(std::int64_t i, const Operands& of) const {
    values[i] = of.value - rate * form(of.gradient, of.value);
  }

  GradientForm form;
  float rate;
  float* values;
  const float* gradients;
};

struct SlotOperands {  // of updates with one slot
  float value;
  float gradient;
  float slot;
};

struct MomentumUpdate {
  __device__ bool begin() { return form.factor.read(); }
  __device__ SlotOperands load(std::int64_t i) const { return {values[i], gradients[i], velocity[i]}; }
  __device__ void store(std::int64_t i, const SlotOperands& of) const {
    const float g = form(of.gradient, of.value);
    const float moved = momentum * of.slot + g;
    velocity[i] = moved;
    values[i] = of.value - rate * (nesterov ? g + momentum * moved : moved);
  }

  GradientForm form;
  float rate;
  float momentum;
  bool nesterov;
  float* values;
  const float* gradients;
  float* velocity;
};

struct AdamUpdate {
  struct Operands {
    float value;
    float gradient;
    float m;
    float v;
  };
  __device__ bool begin() { return form.factor.read(); }
  __device__ Operands load(std::int64_t i) const { return {values[i], gradients[i], m[i], v[i]}; }
  __device__ void store(std::int64_t i, const Operands& of) const {
    const float g = form(of.gradient, of.value);
    const float mean = beta1 * of.m + rest1 * g;
    const float square = beta2 * of.v + rest2 * (g * g);
    m[i] = mean;
    v[i] = square;
    values[i] = of.value - (rate * mean / (::sqrtf(square) + epsilon) + shrink * of.value);
  }

  GradientForm form;
  float rate;  // with the correction of the moments' bias
  float beta1;
  float beta2;
  float rest1;
  float rest2;
  float epsilon;
  float shrink;
  float* values;
  const float* gradients;
  float* m;
  float* v;
};

struct RmspropUpdate {
  __device__ bool begin() { return form.factor.read(); }
  __device__ SlotOperands load(std::int64_t i) const { return {values[i], gradients[i], mean_square[i]}; }
  __device__ void store(std::int64_t i, const SlotOperands& of) const {
    const float g = form(of.gradient, of.value);
    const float square = decay * of.slot + rest * (g * g);
    mean_square[i] = square;
    values[i] = of.value - rate * g / (::sqrtf(square) + epsilon);
  }

  GradientForm form;
  float rate;
  float decay;
  float rest;
  float epsilon;
  float* values;
  const float* gradients;
  float* mean_square;
};

struct AdagradUpdate {
  __device__ bool begin() { return form.factor.read(); }
  __device__ SlotOperands load(std::int64_t i) const { return {values[i], gradients[i], sum[i]}; }
  __device__ void store(std::int64_t i, const SlotOperands& of) const {
    const float g = form(of.gradient, of.value);
    const float square = of.slot + g * g;
    sum[i] = square;
    values[i] = of.value - rate * g / (::sqrtf(square) + epsilon);
  }

  GradientForm form;
  float rate;
  float epsilon;
  float* values;
  const float* gradients;
  float* sum;
};

}  // namespace

void CudaBackend::sgd_update(const Tensor& values, const Tensor& gradients, const SgdStep& step) {
  begin({values, gradients});
  check_spans(values, {gradients});
  const SgdUpdate update{.form = GradientForm(step),
                         .rate = static_cast<float>(step.rate),
                         .values = data_of<float>(values),
                         .gradients = data_of<float>(gradients)};
  launch_each(stream_, update, values.count());
}

void CudaBackend::momentum_update(const Tensor& values, const Tensor& gradients, const Tensor& velocity,
                                  const MomentumStep& step) {
  begin({values, gradients, velocity});
  check_spans(values, {gradients, velocity});
  const MomentumUpdate update{.form = GradientForm(step),
                              .rate = static_cast<float>(step.rate),
                              .momentum = static_cast<float>(step.momentum),
                              .nesterov = step.form == MomentumStep::Form::nesterov,
                              .values = data_of<float>(values),
                              .gradients = data_of<float>(gradients),
                              .velocity = data_of<float>(velocity)};
  launch_each(stream_, update, values.count());
}

void CudaBackend::adam_update(const Tensor& values, const Tensor& gradients, const Tensor& m, const Tensor& v,
                              const AdamStep& step) {
  begin({values, gradients, m, v});
  check_spans(values, {gradients, m, v});
  const auto t = static_cast<double>(step.t);
  const double correction = std::sqrt(1 - std::pow(step.beta2, t)) / (1 - std::pow(step.beta1, t));
  const AdamUpdate update{.form = GradientForm(step),
                          .rate = static_cast<float>(step.rate * correction),
                          .beta1 = static_cast<float>(step.beta1),
                          .beta2 = static_cast<float>(step.beta2),
                          .rest1 = static_cast<float>(1 - step.beta1),
                          .rest2 = static_cast<float>(1 - step.beta2),
                          .epsilon = static_cast<float>(step.epsilon),
                          .shrink = static_cast<float>(step.rate * step.decoupled),
                          .values = data_of<float>(values),
                          .gradients = data_of<float>(gradients),
                          .m = data_of<float>(m),
                          .v = data_of<float>(v)};
  launch_each(stream_, update, values.count());
}

void CudaBackend::rmsprop_update(const Tensor& values, const Tensor& gradients, const Tensor& mean_square,
                                 const RmspropStep& step) {
  begin({values, gradients, mean_square});
  check_spans(values, {gradients, mean_square});
  const RmspropUpdate update{.form = GradientForm(step),
                             .rate = static_cast<float>(step.rate),
                             .decay = static_cast<float>(step.decay),
                             .rest = static_cast<float>(1 - step.decay),
                             .epsilon = static_cast<float>(step.epsilon),
                             .values = data_of<float>(values),
                             .gradients = data_of<float>(gradients),
                             .mean_square = data_of<float>(mean_square)};
  launch_each(stream_, update, values.count());
}

void CudaBackend::adagrad_update(const Tensor& values, const Tensor& gradients, const Tensor& sum,
                                 const AdagradStep& step) {
  begin({values, gradients, sum});
  check_spans(values, {gradients, sum});
  const AdagradUpdate update{.form = GradientForm(step),
                             .rate = static_cast<float>(step.rate),
                             .epsilon = static_cast<float>(step.epsilon),
                             .values = data_of<float>(values),
                             .gradients = data_of<float>(gradients),
                             .sum = data_of<float>(sum)};
  launch_each(stream_, update, values.count());
}

}  // namespace lockstep
