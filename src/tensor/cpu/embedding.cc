#include <algorithm>

#include "base/multiversion.h"
#include "tensor/cpu/layer_kernels.h"

namespace lockstep::cpu {
namespace {

template <class T>
void embed_any(const T* table, const std::int32_t* ids, T* y, std::int64_t count, std::int64_t width) {
  for (std::int64_t i = 0; i < count; ++i) std::copy_n(table + ids[i] * width, width, y + i * width);
}

// In the order of the ids, so that the sum of a row that occurs more than once is always taken alike.
template <class T>
LS_INLINE void embed_backward_any(const std::int32_t* ids, const T* dy, T* dtable, std::int64_t count,
                                  std::int64_t rows, std::int64_t width) {
  std::fill_n(dtable, rows * width, T{0});
  for (std::int64_t i = 0; i < count; ++i) {
    T* const row = dtable + ids[i] * width;
    for (std::int64_t j = 0; j < width; ++j) row[j] += dy[i * width + j];
  }
}

}  // namespace

void embed(const float* table, const std::int32_t* ids, float* y, std::int64_t count, std::int64_t width) {
  embed_any(table, ids, y, count, width);
}
void embed(const double* table, const std::int32_t* ids, double* y, std::int64_t count, std::int64_t width) {
  embed_any(table, ids, y, count, width);
}

LS_MULTIVERSION void embed_backward(const std::int32_t* ids, const float* dy, float* dtable, std::int64_t count,
                                    std::int64_t rows, std::int64_t width) {
  embed_backward_any(ids, dy, dtable, count, rows, width);
}
void embed_backward(const std::int32_t* ids, const double* dy, double* dtable, std::int64_t count, std::int64_t rows,
                    std::int64_t width) {
  embed_backward_any(ids, dy, dtable, count, rows, width);
}

}  // namespace lockstep::cpu
