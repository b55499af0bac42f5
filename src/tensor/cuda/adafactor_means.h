#pragma once

#include <cstddef>
#include <cstdint>

#include <device_code.h>
#include "tensor/cuda/update_factor.h"

namespace lockstep {

// Adafactor's numbers for kernels.
struct AdafactorForm {
  AdafactorForm(const UpdateFactor& of_gradients, const AdafactorStep& step)
      : factor(of_gradients),
        decay(static_cast<float>(step.decay)),
        fresh(static_cast<float>(1 - step.decay)),
        epsilon(static_cast<float>(step.square_epsilon)) {}

  __device__ float scaled(float gradient) const { return factor(gradient); }
  __device__ float square(float gradient) const {
    const float g = scaled(gradient);
    return g * g + epsilon;
  }

  UpdateFactor factor;
  float decay;
  float fresh;  // 1 - decay
  float epsilon;
};

// A variable of one or more matrices, of whose squares only the means of rows and columns are kept.
struct FactoredVariable {
  std::int64_t matrices;
  std::int64_t rows;  // rows of each matrix
  std::int64_t columns;
  const float* gradients;
  float* slot;  // at the beginning of each matrix the means of its rows, then of its columns
};

// Inputs and results of the means, in memory that lasts for an update.
struct FactoredMemory {
  double* row_sums;       // (matrices, column tiles, rows): sums of squares in a tile of columns
  double* column_sums;    // (matrices, row tiles, columns)
  float* row_factors;     // (matrices, rows)
  float* column_factors;  // (matrices, columns): u is a gradient times both factors of its place
};
std::size_t factored_bytes(const FactoredVariable& variable);
FactoredMemory place_factored(const FactoredVariable& variable, void* memory);

// Submits the update of the means in the slot, and the computation of the factors: three kernels, one pass over the
// gradients.
void update_means(GpuStream stream, const AdafactorForm& form, const FactoredVariable& variable,
                  const FactoredMemory& memory);

}  // namespace lockstep
