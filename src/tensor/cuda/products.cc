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

// Checks all extents and returns the product, to be written to c, without the bias.
GpuProduct product_of(const Tensor& a, Transpose a_op, const Tensor& b, Transpose b_op, const Tensor& c) {
  const Extents left = extents_of(a, a_op);
  const Extents right = extents_of(b, b_op);
  LS_CHECK(left.columns == right.rows && c.count() == left.rows * right.columns,
           fmt::format("product of {} and {} into {}", a.shape().text(), b.shape().text(), c.shape().text()));
  LS_CHECK(a.dtype() == b.dtype() && (a.dtype() == DType::float32 || a.dtype() == DType::bfloat16) &&
               (c.dtype() == DType::float32 || c.dtype() == a.dtype()),
           fmt::format("product of {} and {} into {}", name(a.dtype()), name(b.dtype()), name(c.dtype())));
  return {.a = a.data(),
          .b = b.data(),
          .c = c.data(),
          .a_op = a_op,
          .b_op = b_op,
          .factors = a.dtype(),
          .result = c.dtype(),
          .m = left.rows,
          .n = right.columns,
          .k = left.columns};
}

bool slope_is_of_y(Activation activation) {
  return activation == Activation::tanh || activation == Activation::sigmoid;
}

}  // namespace

std::string CudaBackend::bfloat16_products() const {
  if (has_bfloat16_) return "";
  return fmt::format("{} has no fast products of bfloat16; it takes an Ampere GPU or a newer one", device().text());
}

void CudaBackend::check_factors(const AttentionShape& shape) const {
  LS_CHECK(shape.factors != DType::bfloat16 || has_bfloat16_, "attention in bfloat16: " + bfloat16_products());
}

void CudaBackend::set_float32_products(Float32Products products) {
  LS_CHECK(products == Float32Products::exact || tf32_products().empty(), tf32_products());
  float32_products_ = products;
}

std::string CudaBackend::tf32_products() const { return has_bfloat16_ ? "" : Backend::tf32_products(); }

void CudaBackend::product(const Tensor& a, Transpose a_op, const Tensor& b, Transpose b_op, const Tensor& c,
                          Write write, const Tensor& bias) {
  begin({a, b, c, bias});
  LS_CHECK(c.dtype() == DType::float32, fmt::format("a product into {}", name(c.dtype())));
  GpuProduct product = product_of(a, a_op, b, b_op, c);
  if (c.count() == 0) return;
  if (product.k == 0) {  // a sum of nothing
    LS_CHECK(bias.empty(), "a product of no columns with a bias");
    if (write == Write::replace) fill(c, 0);
    return;
  }
  product.float32_products = float32_products_;
  product.write = write;
  if (!bias.empty()) product.bias = bias.data();
  products_.multiply(product, stream_);
}

// If cuBLASLt writes y in bfloat16, it reads the bias and writes x in bfloat16, too. So the bias is rounded, like the
// kernel, and x takes half the memory. If the slope is computed from y, all of them stay float32.
DType CudaBackend::activation_input_type(Activation activation, DType y) const {
  return slope_is_of_y(activation) ? DType::float32 : y;
}

// ReLU and GELU by tanh are epilogues of cuBLASLt. Its documentation does not say that its ReLU lets NaN through; but a
// NaN of an input or a kernel is in the kernel's gradient in any case.
void CudaBackend::product_with_activation(Activation activation, const Tensor& a, const Tensor& b, const Tensor& bias,
                                          const Tensor& x, const Tensor& y) {
  begin({a, b, bias, x, y});
  LS_CHECK(x.count() == y.count(), "an activation of unlike tensors");
  if (y.count() == 0) return;
  GpuProduct product = product_of(a, Transpose::no, b, Transpose::no, x);
  LS_CHECK(product.k > 0 && (bias.empty() || bias.count() == product.n), "a linear layer of unlike operands");
  if (!bias.empty()) product.bias = bias_as(product.result, bias).data();

  product.float32_products = float32_products_;
  GpuProduct with = product;
  with.activation = activation;
  with.c = y.data();
  const bool keeps_sum = x.data() != y.data();
  if (keeps_sum) with.sum = x.data();
  const bool fits = x.dtype() == y.dtype() && keeps_sum == (activation != Activation::relu);
  if (fits && products_.has(with)) return products_.multiply(with, stream_);
  products_.multiply(product, stream_);
  activate(activation, x, y);
}

Tensor CudaBackend::bias_as(DType dtype, const Tensor& bias) {
  if (dtype == bias.dtype()) return bias;
  const Tensor rounded(scratch(static_cast<std::size_t>(bias.count()) * size_of(dtype)), dtype, bias.shape(), device());
  convert(bias, rounded);
  return rounded;
}

}  // namespace lockstep
