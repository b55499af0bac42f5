#include <algorithm>
#include <cmath>
#include <cstdint>

#include <device_code.h>
#include "tensor/cuda/adafactor_means.h"
#include "tensor/cuda/each_element.h"
#include "tensor/cuda/gpu_update.h"
#include "tensor/cuda/square_sums.h"

// Adafactor, by the formulas of tensor/update_steps.h: kernels for the means of squares, one for the length of the
// step, one for the step.
namespace lockstep {
namespace {

// The factor of u, once its length is known, and the factor by which the values shrink.
struct StepLength {
  StepLength(const AdafactorStep& step, std::int64_t count)
      : rate(step.rate),
        least_scale(step.least_scale),
        clipping(step.clipping),
        root(std::sqrt(static_cast<double>(count))),
        shrink(static_cast<float>(step.rate * step.weight_decay)),
        relative(step.relative) {}

  __device__ float rate_of(const SquareSums& squares) const {
    const double size = ::sqrt(squares.of_values) / root;
    const double scale = !relative ? 1 : (size > least_scale ? size : least_scale);
    const double excess = clipping > 0 ? ::sqrt(squares.of_steps) / root / clipping : 0;
    return static_cast<float>(rate * scale / (excess > 1 ? excess : 1));
  }

  double rate;
  double least_scale;
  double clipping;
  double root;  // square root of the number of values
  float shrink;
  bool relative;
};

struct ValueAndStep {
  float value;
  float u;
};

// The factored form, where u is the gradient times the factors of its row and its column.
struct FactoredSteps {
  __device__ float u(std::int64_t row, std::int64_t column) const {
    const std::int64_t matrix = variable.matrices == 1 ? 0 : row / variable.rows;
    return form.scaled(variable.gradients[row * variable.columns + column]) * memory.row_factors[row] *
           memory.column_factors[matrix * variable.columns + column];
  }

  AdafactorForm form;
  FactoredVariable variable;
  FactoredMemory memory;
};

struct FactoredLength {
  __device__ ValueAndStep load(std::int64_t row, std::int64_t column) const {
    return {values[row * steps.variable.columns + column], steps.u(row, column)};
  }
  __device__ void store(std::int64_t /*row*/, std::int64_t /*column*/, const ValueAndStep& of) {
    squares.add_value(of.value);
    squares.add_step(of.u);
  }

  FactoredSteps steps;
  const float* values;
  SquareSums squares;
};

struct FactoredMove {
  __device__ ValueAndStep load(std::int64_t row, std::int64_t column) const {
    return {values[row * steps.variable.columns + column], steps.u(row, column)};
  }
  __device__ void store(std::int64_t row, std::int64_t column, const ValueAndStep& of) const {
    values[row * steps.variable.columns + column] = of.value - (rate * of.u + shrink * of.value);
  }

  FactoredSteps steps;
  float* values;
  float rate;
  float shrink;
};

__global__ void factored_length_kernel(FactoredSteps steps, const float* values, std::int64_t count,
                                       SquareSums* blocks) {
  if (!steps.form.factor.read()) return;
  InRows<FactoredLength> length({steps, values, {}}, steps.variable.columns);
  each_element(length, count);
  leave_squares(length.operation.squares, blocks);
}

__global__ void factored_move_kernel(FactoredSteps steps, StepLength length, float* values, std::int64_t count,
                                     const SquareSums* blocks) {
  if (!steps.form.factor.read()) return;
  const float rate = length.rate_of(total_squares(blocks));
  InRows<FactoredMove> move({steps, values, rate, length.shrink}, steps.variable.columns);
  each_element(move, count);
}

// Vectors, where each value has its v.
struct VectorLength {
  struct Operands {
    float value;
    float gradient;
    float v;
  };
  __device__ Operands load(std::int64_t i) const { return {values[i], gradients[i], v[i]}; }
  __device__ void store(std::int64_t i, const Operands& of) {
    const float updated = form.decay * of.v + form.fresh * form.square(of.gradient);
    v[i] = updated;
    squares.add_value(of.value);
    squares.add_step(form.scaled(of.gradient) / ::sqrtf(updated));
  }

  AdafactorForm form;
  const float* values;
  const float* gradients;
  float* v;
  SquareSums squares;
};

struct VectorMove {
  __device__ ValueAndStep load(std::int64_t i) const { return {values[i], form.scaled(gradients[i]) / ::sqrtf(v[i])}; }
  __device__ void store(std::int64_t i, const ValueAndStep& of) const {
    values[i] = of.value - (rate * of.u + shrink * of.value);
  }

  AdafactorForm form;
  float* values;
  const float* gradients;
  const float* v;
  float rate;
  float shrink;
};

__global__ void vector_length_kernel(AdafactorForm form, const float* values, const float* gradients, float* v,
                                     std::int64_t count, SquareSums* blocks) {
  if (!form.factor.read()) return;
  VectorLength length{form, values, gradients, v, {}};
  each_element(length, count);
  leave_squares(length.squares, blocks);
}

__global__ void vector_move_kernel(AdafactorForm form, StepLength length, float* values, const float* gradients,
                                   const float* v, std::int64_t count, const SquareSums* blocks) {
  if (!form.factor.read()) return;
  const float rate = length.rate_of(total_squares(blocks));
  const VectorMove move{form, values, gradients, v, rate, length.shrink};
  each_element(move, count);
}

}  // namespace

void launch_update(const GpuUpdate& update, const AdafactorStep& step) {
  const std::int64_t count = update.count;
  if (count == 0) return;
  const AdafactorForm form(update.factor, step);
  const StepLength length(step, count);
  const Grid grid = grid_of_squares(count);
  if (step.rows == 1 || step.columns == 1) {
    auto* const blocks = static_cast<SquareSums*>(update.scratch(kSquareBytes));
    launch(update.stream, grid, &vector_length_kernel, form, update.values, update.gradients, update.slots[0], count,
           blocks);
    launch(update.stream, grid, &vector_move_kernel, form, length, update.values, update.gradients, update.slots[0],
           count, blocks);
    return;
  }
  const FactoredVariable variable{.matrices = count / (step.rows * step.columns),
                                  .rows = step.rows,
                                  .columns = step.columns,
                                  .gradients = update.gradients,
                                  .slot = update.slots[0]};
  auto* const blocks = static_cast<SquareSums*>(update.scratch(kSquareBytes + factored_bytes(variable)));
  const FactoredMemory memory = place_factored(variable, blocks + kMostSquareBlocks);
  update_means(update.stream, form, variable, memory);
  const FactoredSteps steps{form, variable, memory};
  launch(update.stream, grid, &factored_length_kernel, steps, update.values, count, blocks);
  launch(update.stream, grid, &factored_move_kernel, steps, length, update.values, count, blocks);
}

}  // namespace lockstep
