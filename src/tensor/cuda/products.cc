#include <fmt/format.h>

#include "tensor/cuda/cuda_backend.h"

namespace lockstep {
namespace {

struct Extents {
  std::int64_t rows;
  std::int64_t columns;
};

Extents extents_of(const Tensor& matrix, Transpose op) {
  LS_CHECK(matrix.shape().rank() == 2, fmt::format("a factor of shape {}", matrix.shape().text()));
  const std::int64_t rows = matrix.shape()[0];
  const std::int64_t columns = matrix.shape()[1];
  return op == Transpose::no ? Extents{rows, columns} : Extents{columns, rows};
}

}  // namespace

std::string CudaBackend::bfloat16_products() const {
  if (describe_gpu(device().index).bfloat16) return "";
  return fmt::format("{} has no fast products of bfloat16; it takes an Ampere GPU or a newer one", device().text());
}

void CudaBackend::product(const Tensor& a, Transpose a_op, const Tensor& b, Transpose b_op, const Tensor& c,
                          Write write, const Tensor& bias) {
  begin({a, b, c, bias});
  const Extents left = extents_of(a, a_op);
  const Extents right = extents_of(b, b_op);
  LS_CHECK(left.columns == right.rows && c.count() == left.rows * right.columns,
           fmt::format("product of {} and {} into {}", a.shape().text(), b.shape().text(), c.shape().text()));
  LS_CHECK(a.dtype() == b.dtype() && (a.dtype() == DType::float32 || a.dtype() == DType::bfloat16) &&
               c.dtype() == DType::float32,
           fmt::format("product of {} and {} into {}", name(a.dtype()), name(b.dtype()), name(c.dtype())));
  if (c.count() == 0) return;
  if (left.columns == 0) {  // a sum of nothing
    LS_CHECK(bias.empty(), "a product of no columns with a bias");
    if (write == Write::replace) fill(c, 0);
    return;
  }
  products_.multiply({.a = a.data(),
                      .b = b.data(),
                      .c = static_cast<float*>(c.data()),
                      .bias = bias.empty() ? nullptr : static_cast<const float*>(bias.data()),
                      .a_op = a_op,
                      .b_op = b_op,
                      .write = write,
                      .factors = a.dtype(),
                      .m = left.rows,
                      .n = right.columns,
                      .k = left.columns},
                     stream_);
}

}  // namespace lockstep
