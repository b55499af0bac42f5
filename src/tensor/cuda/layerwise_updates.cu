#include <cmath>
#include <cstdint>

#include <device_code.h>
#include "tensor/cuda/each_element.h"
#include "tensor/cuda/gpu_update.h"
#include "tensor/cuda/square_sums.h"

// LAMB and LARS: a first kernel for the norms of a variable, a second one that moves it, by a trust ratio that never
// leaves the GPU. The formulas are those of tensor/update_steps.h.
namespace lockstep {
namespace {

struct LambForm {
  LambForm(const UpdateFactor& of_gradients, const LambStep& step)
      : factor(of_gradients),
        beta1(static_cast<float>(step.beta1)),
        beta2(static_cast<float>(step.beta2)),
        rest1(static_cast<float>(1 - step.beta1)),
        rest2(static_cast<float>(1 - step.beta2)),
        correction1(static_cast<float>(1 / (1 - std::pow(step.beta1, static_cast<double>(step.t))))),
        correction2(static_cast<float>(1 / (1 - std::pow(step.beta2, static_cast<double>(step.t))))),
        epsilon(static_cast<float>(step.epsilon)),
        weight_decay(static_cast<float>(step.weight_decay)),
        rate(step.rate),
        adapted(step.adapted) {}

  // r, the direction before its length is set.
  __device__ float direction(float value, float m, float v) const {
    return correction1 * m / (::sqrtf(correction2 * v) + epsilon) + weight_decay * value;
  }
  __device__ float rate_of(const SquareSums& squares) const {
    const double length = ::sqrt(squares.of_values);
    const double wanted = ::sqrt(squares.of_steps);
    const double ratio = adapted && length > 0 && wanted > 0 ? length / wanted : 1;
    return static_cast<float>(rate * ratio);
  }

  UpdateFactor factor;
  float beta1;
  float beta2;
  float rest1;
  float rest2;
  float correction1;
  float correction2;
  float epsilon;
  float weight_decay;
  double rate;
  bool adapted;
};

struct LambSpans {
  float* values;
  const float* gradients;
  float* m;
  float* v;
};

// New moments, and the squares of the values and of r.
struct LambMoments {
  struct Operands {
    float value;
    float gradient;
    float m;
    float v;
  };
  __device__ Operands load(std::int64_t i) const {
    return {spans.values[i], spans.gradients[i], spans.m[i], spans.v[i]};
  }
  __device__ void store(std::int64_t i, const Operands& of) {
    const float g = form.factor(of.gradient);
    const float m = form.beta1 * of.m + form.rest1 * g;
    const float v = form.beta2 * of.v + form.rest2 * (g * g);
    spans.m[i] = m;
    spans.v[i] = v;
    squares.add_value(of.value);
    squares.add_step(form.direction(of.value, m, v));
  }

  LambForm form;
  LambSpans spans;
  SquareSums squares;
};

struct LambMove {
  struct Operands {
    float value;
    float m;
    float v;
  };
  __device__ Operands load(std::int64_t i) const { return {spans.values[i], spans.m[i], spans.v[i]}; }
  __device__ void store(std::int64_t i, const Operands& of) const {
    spans.values[i] = of.value - rate * form.direction(of.value, of.m, of.v);
  }

  LambForm form;
  LambSpans spans;
  float rate;
};

__global__ void lamb_moments_kernel(LambForm form, LambSpans spans, std::int64_t count, SquareSums* blocks) {
  if (!form.factor.read()) return;
  LambMoments moments{form, spans, {}};
  each_element(moments, count);
  leave_squares(moments.squares, blocks);
}

__global__ void lamb_move_kernel(LambForm form, LambSpans spans, std::int64_t count, const SquareSums* blocks) {
  if (!form.factor.read()) return;
  const LambMove move{form, spans, form.rate_of(total_squares(blocks))};
  each_element(move, count);
}

struct LarsForm {
  LarsForm(const UpdateFactor& of_gradients, const LarsStep& step)
      : factor(of_gradients),
        momentum(static_cast<float>(step.momentum)),
        weight_decay(static_cast<float>(step.weight_decay)),
        rate(step.rate),
        trust(step.trust),
        decay(step.weight_decay),
        adapted(step.adapted) {}

  __device__ float rate_of(const SquareSums& squares) const {
    const double length = ::sqrt(squares.of_values);
    const double pull = ::sqrt(squares.of_steps) + decay * length;
    return static_cast<float>(rate * (length > 0 && pull > 0 ? trust * length / pull : 1));
  }

  UpdateFactor factor;
  float momentum;
  float weight_decay;
  double rate;
  double trust;
  double decay;  // weight_decay for the ratio
  bool adapted;
};

struct LarsNorms {
  struct Operands {
    float value;
    float gradient;
  };
  __device__ Operands load(std::int64_t i) const { return {values[i], gradients[i]}; }
  __device__ void store(std::int64_t /*i*/, const Operands& of) {
    squares.add_value(of.value);
    squares.add_step(factor(of.gradient));
  }

  const float* values;
  const float* gradients;
  UpdateFactor factor;
  SquareSums squares;
};

struct LarsMove {
  struct Operands {
    float value;
    float gradient;
    float velocity;
  };
  __device__ Operands load(std::int64_t i) const { return {values[i], gradients[i], velocity[i]}; }
  __device__ void store(std::int64_t i, const Operands& of) const {
    const float g = form.factor(of.gradient) + form.weight_decay * of.value;
    const float moved = form.momentum * of.velocity + rate * g;
    velocity[i] = moved;
    values[i] = of.value - moved;
  }

  LarsForm form;
  float rate;
  float* values;
  const float* gradients;
  float* velocity;
};

__global__ void lars_norms_kernel(LarsForm form, const float* values, const float* gradients, std::int64_t count,
                                  SquareSums* blocks) {
  if (!form.factor.read()) return;
  LarsNorms norms{values, gradients, form.factor, {}};
  each_element(norms, count);
  leave_squares(norms.squares, blocks);
}

__global__ void lars_move_kernel(LarsForm form, float* values, const float* gradients, float* velocity,
                                 std::int64_t count, const SquareSums* blocks) {
  if (!form.factor.read()) return;
  const float rate = form.adapted ? form.rate_of(total_squares(blocks)) : static_cast<float>(form.rate);
  const LarsMove move{form, rate, values, gradients, velocity};
  each_element(move, count);
}

}  // namespace

void launch_update(const GpuUpdate& update, const LambStep& step) {
  const LambForm form(update.factor, step);
  const LambSpans spans{update.values, update.gradients, update.slots[0], update.slots[1]};
  const Grid grid = grid_of_squares(update.count);
  auto* const blocks = static_cast<SquareSums*>(update.scratch(kSquareBytes));
  launch(update.stream, grid, &lamb_moments_kernel, form, spans, update.count, blocks);
  launch(update.stream, grid, &lamb_move_kernel, form, spans, update.count, blocks);
}

void launch_update(const GpuUpdate& update, const LarsStep& step) {
  const LarsForm form(update.factor, step);
  const Grid grid = grid_of_squares(update.count);
  auto* const blocks = static_cast<SquareSums*>(update.scratch(kSquareBytes));
  if (form.adapted) {
    launch(update.stream, grid, &lars_norms_kernel, form, update.values, update.gradients, update.count, blocks);
  }
  launch(update.stream, grid, &lars_move_kernel, form, update.values, update.gradients, update.slots[0], update.count,
         blocks);
}

}  // namespace lockstep
