#include <cmath>
#include <cstdint>

#include <device_code.h>
#include "tensor/cuda/cuda_backend.h"
#include "tensor/cuda/device_data.h"
#include "tensor/cuda/each_element.h"
#include "tensor/cuda/gpu_update.h"
#include "tensor/update_checks.h"

// The formulas are those of tensor/update_steps.h. Coefficients are worked out in double precision and rounded once, as
// on the CPU.
namespace lockstep {
namespace {

// The start of all updates: g = factor * gradient + l2 * value.
struct GradientForm {
  GradientForm(const UpdateFactor& of_gradients, double of_values)
      : factor(of_gradients), l2(static_cast<float>(of_values)) {}

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

void launch_update(const GpuUpdate& update, const SgdStep& step) {
  const SgdUpdate sgd{.form = GradientForm(update.factor, step.l2),
                      .rate = static_cast<float>(step.rate),
                      .values = update.values,
                      .gradients = update.gradients};
  launch_each(update.stream, sgd, update.count);
}

void launch_update(const GpuUpdate& update, const MomentumStep& step) {
  const MomentumUpdate momentum{.form = GradientForm(update.factor, step.l2),
                                .rate = static_cast<float>(step.rate),
                                .momentum = static_cast<float>(step.momentum),
                                .nesterov = step.form == MomentumStep::Form::nesterov,
                                .values = update.values,
                                .gradients = update.gradients,
                                .velocity = update.slots[0]};
  launch_each(update.stream, momentum, update.count);
}

void launch_update(const GpuUpdate& update, const AdamStep& step) {
  const auto t = static_cast<double>(step.t);
  const double correction = std::sqrt(1 - std::pow(step.beta2, t)) / (1 - std::pow(step.beta1, t));
  const AdamUpdate adam{.form = GradientForm(update.factor, step.l2),
                        .rate = static_cast<float>(step.rate * correction),
                        .beta1 = static_cast<float>(step.beta1),
                        .beta2 = static_cast<float>(step.beta2),
                        .rest1 = static_cast<float>(1 - step.beta1),
                        .rest2 = static_cast<float>(1 - step.beta2),
                        .epsilon = static_cast<float>(step.epsilon),
                        .shrink = static_cast<float>(step.rate * step.decoupled),
                        .values = update.values,
                        .gradients = update.gradients,
                        .m = update.slots[0],
                        .v = update.slots[1]};
  launch_each(update.stream, adam, update.count);
}

void launch_update(const GpuUpdate& update, const RmspropStep& step) {
  const RmspropUpdate rmsprop{.form = GradientForm(update.factor, step.l2),
                              .rate = static_cast<float>(step.rate),
                              .decay = static_cast<float>(step.decay),
                              .rest = static_cast<float>(1 - step.decay),
                              .epsilon = static_cast<float>(step.epsilon),
                              .values = update.values,
                              .gradients = update.gradients,
                              .mean_square = update.slots[0]};
  launch_each(update.stream, rmsprop, update.count);
}

void launch_update(const GpuUpdate& update, const AdagradStep& step) {
  const AdagradUpdate adagrad{.form = GradientForm(update.factor, step.l2),
                              .rate = static_cast<float>(step.rate),
                              .epsilon = static_cast<float>(step.epsilon),
                              .values = update.values,
                              .gradients = update.gradients,
                              .sum = update.slots[0]};
  launch_each(update.stream, adagrad, update.count);
}

}  // namespace

void CudaBackend::update(const UpdateStep& step, const Tensor& values, const Tensor& gradients,
                         std::span<const Tensor> slots) {
  begin({values, gradients});
  for (const Tensor& slot : slots) begin({slot});
  check_update(step.formula, values, gradients, slots);
  GpuUpdate update{.stream = stream_,
                   .scratch = [this](std::size_t bytes) { return scratch(bytes); },
                   .factor = UpdateFactor(step),
                   .count = values.count(),
                   .values = data_of<float>(values),
                   .gradients = data_of<float>(gradients),
                   .slots = {}};
  for (std::size_t i = 0; i < slots.size(); ++i) update.slots[i] = data_of<float>(slots[i]);
  std::visit([&](const auto& formula) { launch_update(update, formula); }, step.formula);
}

}  // namespace lockstep
