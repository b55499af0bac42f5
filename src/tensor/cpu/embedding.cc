#include <algorithm>

#include "base/multiversion.h"
#include "tensor/cpu/layer_kernels.h"

namespace lockstep::cpu {
namespace {

template <class T>
LS_INLINE void embed_any(const EmbeddingForm& form, const T* table, const std::int32_t* ids, T* y, std::int64_t count,
                         std::int64_t width, Write write) {
  for (std::int64_t i = 0; i < count; ++i, y += width) {
    const T* const row = table + ids[i] * width;
    const T factor = ids[i] == form.zero_id ? T{0} : static_cast<T>(form.factor);
    if (write == Write::add) {
      if (factor == T{0}) continue;
      for (std::int64_t j = 0; j < width; ++j) y[j] += factor * row[j];
    } else if (factor == T{0}) {
      std::fill_n(y, width, T{0});
    } else {
      for (std::int64_t j = 0; j < width; ++j) y[j] = factor * row[j];
    }
  }
}

// Adds in the order of the ids, so that the sum of a row that occurs more than once is always taken in the same order.
template <class T>
LS_INLINE void embed_backward_any(const EmbeddingForm& form, const std::int32_t* ids, const T* dy, T* dtable,
                                  std::int64_t count, std::int64_t width) {
  const T factor = static_cast<T>(form.factor);
  for (std::int64_t i = 0; i < count; ++i, dy += width) {
    if (ids[i] == form.zero_id) continue;
    T* const row = dtable + ids[i] * width;
    for (std::int64_t j = 0; j < width; ++j) row[j] += factor * dy[j];
  }
}

}  // namespace

LS_MULTIVERSION void embed(const EmbeddingForm& form, const float* table, const std::int32_t* ids, float* y,
                           std::int64_t count, std::int64_t width, Write write) {
  embed_any(form, table, ids, y, count, width, write);
}
void embed(const EmbeddingForm& form, const double* table, const std::int32_t* ids, double* y, std::int64_t count,
           std::int64_t width, Write write) {
  embed_any(form, table, ids, y, count, width, write);
}

LS_MULTIVERSION void embed_backward(const EmbeddingForm& form, const std::int32_t* ids, const float* dy, float* dtable,
                                    std::int64_t count, std::int64_t width) {
  embed_backward_any(form, ids, dy, dtable, count, width);
}
void embed_backward(const EmbeddingForm& form, const std::int32_t* ids, const double* dy, double* dtable,
                    std::int64_t count, std::int64_t width) {
  embed_backward_any(form, ids, dy, dtable, count, width);
}

}  // namespace lockstep::cpu
