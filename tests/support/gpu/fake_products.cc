#include <bit>
#include <cstdint>
#include <vector>

#include "support/gpu/fake_stream.h"
#include "tensor/cpu/cpu_backend.h"
#include "tensor/cuda/gpu_products.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

// Rounds to 10 bits of fraction, to nearest. REQUIRES: finite.
float as_tf32(float value) {
  constexpr std::uint32_t kDropped = 13;
  const std::uint32_t half = std::uint32_t{1} << (kDropped - 1);
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + half) >> kDropped << kDropped);
}

// An operand in the form that the CPU multiplies: bfloat16, which not every CPU multiplies, is widened.
class Operand {
 public:
  Operand(const void* data, DType dtype, const Shape& shape, Float32Products products = Float32Products::exact)
      : tensor_(const_cast<void*>(data), dtype, shape) {
    if (dtype == DType::bfloat16) {
      for (const BFloat16 value : tensor_.span<BFloat16>()) values_.push_back(widened(value));
    } else if (products == Float32Products::tf32) {
      for (const float value : tensor_.span<float>()) values_.push_back(as_tf32(value));
    } else {
      return;
    }
    tensor_ = Tensor(values_.data(), DType::float32, shape);
  }
  const Tensor& tensor() const { return tensor_; }

 private:
  std::vector<float> values_;
  Tensor tensor_;
};

Shape stored(std::int64_t rows, std::int64_t columns, Transpose op) {
  return op == Transpose::no ? Shape{rows, columns} : Shape{columns, rows};
}

// Computes the product without its activation, in float32.
void multiply_in_float32(Backend& backend, const GpuProduct& product, const Tensor& c) {
  const Operand a(product.a, product.factors, stored(product.m, product.k, product.a_op), product.float32_products);
  const Operand b(product.b, product.factors, stored(product.k, product.n, product.b_op), product.float32_products);
  const Operand bias(product.bias, product.result, {product.bias == nullptr ? 0 : product.n});
  backend.product(a.tensor(), product.a_op, b.tensor(), product.b_op, c, product.write, bias.tensor());
}

// Writes float32 values in the type of the result.
void write(Backend& backend, const Tensor& values, DType dtype, void* to) {
  const Tensor result(to, dtype, values.shape());
  if (dtype == DType::bfloat16) return backend.convert(values, result);
  backend.copy(values, result);
}

void multiply_and_activate(Backend& backend, const GpuProduct& product) {
  std::vector<float> values(static_cast<std::size_t>(product.m * product.n));
  const Tensor sums(values.data(), DType::float32, {product.m, product.n});
  multiply_in_float32(backend, product, sums);
  if (product.sum != nullptr) write(backend, sums, product.result, product.sum);
  if (product.activation) backend.activate(*product.activation, sums, sums);
  write(backend, sums, product.result, product.c);
}

}  // namespace

struct GpuProducts::Parts {
  int gpu;
  CpuBackend backend{};  // used by one stream's thread
};

GpuProducts::GpuProducts(int gpu) : parts_(std::make_unique<Parts>(gpu)) { select_gpu(gpu); }
GpuProducts::~GpuProducts() = default;

// Supports the same products as cuBLASLt.
bool GpuProducts::has(const GpuProduct& product) {
  return !product.activation || product.activation == Activation::relu ||
         (product.activation == Activation::gelu_tanh && product.n % 8 == 0);
}

void GpuProducts::multiply(const GpuProduct& product, GpuStream stream) {
  LS_CHECK(gpu_stand_in::selected_gpu() == parts_->gpu, "a product on another GPU than the library's");
  gpu_stand_in::submit(stream, [&backend = parts_->backend, product] {
    if (product.activation || product.result == DType::bfloat16) return multiply_and_activate(backend, product);
    multiply_in_float32(backend, product, Tensor(product.c, DType::float32, {product.m, product.n}));
  });
}

}  // namespace lockstep
