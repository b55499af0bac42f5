#include "support/gpu/fake_stream.h"
#include "tensor/cpu/cpu_backend.h"
#include "tensor/cuda/gpu_products.h"

namespace lockstep {
namespace {

Tensor matrix(const void* data, DType dtype, std::int64_t rows, std::int64_t columns, Transpose op) {
  const Shape shape = op == Transpose::no ? Shape{rows, columns} : Shape{columns, rows};
  return {const_cast<void*>(data), dtype, shape};
}

}  // namespace

struct GpuProducts::Parts {
  CpuBackend backend;  // used by one stream's thread
};

GpuProducts::GpuProducts() : parts_(std::make_unique<Parts>()) {}
GpuProducts::~GpuProducts() = default;

void GpuProducts::multiply(const GpuProduct& product, GpuStream stream) {
  gpu_stand_in::submit(stream, [&backend = parts_->backend, product] {
    const Tensor bias =
        product.bias == nullptr ? Tensor() : matrix(product.bias, DType::float32, 1, product.n, Transpose::no);
    backend.product(matrix(product.a, product.factors, product.m, product.k, product.a_op), product.a_op,
                    matrix(product.b, product.factors, product.k, product.n, product.b_op), product.b_op,
                    matrix(product.c, DType::float32, product.m, product.n, Transpose::no), product.write,
                    bias.empty() ? bias : bias.reshaped({product.n}));
  });
}

}  // namespace lockstep
