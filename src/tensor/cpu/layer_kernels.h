#pragma once

#include <cstdint>

#include "tensor/backend.h"

// The CPU's loops of norms, embeddings and the joining of branches; kernels.h has the rules for all of them.
namespace lockstep::cpu {

// norms.cc: x (samples, positions, channels) in `groups` groups of neighbouring channels, as Backend::normalize says.
struct NormShape {
  std::int64_t samples = 0;
  std::int64_t positions = 0;
  std::int64_t channels = 0;
  std::int64_t groups = 0;

  bool is_rows() const { return positions == 1 && groups == 1; }  // layer_norm.h has faster loops for floats of these
};
void normalize(const NormShape& shape, double epsilon, const float* x, const float* scale, const float* shift, float* y,
               float* mean, float* inverse_stddev);
void normalize(const NormShape& shape, double epsilon, const float* x, const float* scale, const float* shift,
               BFloat16* y, float* mean, float* inverse_stddev);
void normalize(const NormShape& shape, double epsilon, const double* x, const double* scale, const double* shift,
               double* y, double* mean, double* inverse_stddev);
// dx may be dy, or null: not wanted.
void normalize_backward(const NormShape& shape, const float* x, const float* scale, const float* mean,
                        const float* inverse_stddev, const float* dy, float* dx, float* dscale, float* dshift);
void normalize_backward(const NormShape& shape, const double* x, const double* scale, const double* mean,
                        const double* inverse_stddev, const double* dy, double* dx, double* dscale, double* dshift);
// y (rows, channels) = (x - mean) / stddev
void standardize(const float* x, const float* mean, const float* stddev, float* y, std::int64_t rows,
                 std::int64_t channels);
void standardize(const double* x, const double* mean, const double* stddev, double* y, std::int64_t rows,
                 std::int64_t channels);

// embedding.cc: y (count, width), rows of table (.., width); dtable (.., width) is added to.
void embed(const EmbeddingForm& form, const float* table, const std::int32_t* ids, float* y, std::int64_t count,
           std::int64_t width, Write write);
void embed(const EmbeddingForm& form, const double* table, const std::int32_t* ids, double* y, std::int64_t count,
           std::int64_t width, Write write);
void embed_backward(const EmbeddingForm& form, const std::int32_t* ids, const float* dy, float* dtable,
                    std::int64_t count, std::int64_t width);
void embed_backward(const EmbeddingForm& form, const std::int32_t* ids, const double* dy, double* dtable,
                    std::int64_t count, std::int64_t width);

// blend.cc: to += weight * (from - to)
void blend(const float* from, float* to, double weight, std::int64_t count);
void blend(const double* from, double* to, double weight, std::int64_t count);

}  // namespace lockstep::cpu
