#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "tensor/backend.h"
#include "tensor/cuda/gpu_runtime.h"

namespace lockstep {

// c (m, n) = op(a) (m, k) * op(b) (k, n), plus the row `bias` (n) unless it is null, plus c with Write::add. With an
// activation c is the activation of the sum, and the sum itself goes to `sum` (m, n) unless the activation is ReLU. All
// are dense and row-major, on the GPU; a and b are both float32 or both bfloat16; c, bias and sum are float32 or, with
// a and b in bfloat16, may all three be bfloat16. m, n, k > 0.
struct GpuProduct {
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  const void* bias = nullptr;
  std::optional<Activation> activation{};
  void* sum = nullptr;
  Transpose a_op = Transpose::no;
  Transpose b_op = Transpose::no;
  Write write = Write::replace;
  DType factors = DType::float32;
  Float32Products float32_products = Float32Products::exact;  // for factors of float32
  DType result = DType::float32;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};

// Products of one GPU, submitted to a stream: sums are taken in float32, and the same call gives the same bits.
// Implemented by cuBLASLt (cublaslt_products.cc), and for tests without a GPU by the processor
// (tests/support/gpu/fake_products.cc). Belongs to a backend, and is used by its thread; its device is selected.
class GpuProducts {
 public:
  explicit GpuProducts(int gpu);
  ~GpuProducts();
  GpuProducts(const GpuProducts&) = delete;
  GpuProducts& operator=(const GpuProducts&) = delete;

  // Returns whether multiply() takes a product with its activation. It takes all that have none.
  bool has(const GpuProduct& product);
  void multiply(const GpuProduct& product, GpuStream stream);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace lockstep
