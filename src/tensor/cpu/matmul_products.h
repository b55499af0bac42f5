#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tensor/backend.h"

namespace lockstep::cpu {

// The properties of a product before its operands: c (m, n) = op(a) (m, k) * op(b) (k, n), with a row `bias` (n) added
// or c with Write::add; c and bias float32.
struct ProductForm {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  Transpose a_op = Transpose::no;
  Transpose b_op = Transpose::no;
  Write write = Write::replace;  // add: without a bias
  bool has_bias = false;
  DType operands = DType::float32;

  bool operator==(const ProductForm&) const = default;
};

// Products through oneDNN's matmul primitive: those of bfloat16, summed in float32, if there are no tiles
// (tile_products.h), and those of float32 for which it is faster than its sgemm.
//
// The code made for a form is kept, for the kMostForms that were used last, and runs in scratch memory that they share.
// We allocate nothing from the second call of a form on. One thread.
class MatmulProducts {
 public:
  static constexpr std::size_t kMostForms = 512;

  MatmulProducts();
  ~MatmulProducts();
  MatmulProducts(const MatmulProducts&) = delete;
  MatmulProducts& operator=(const MatmulProducts&) = delete;

  // The reason not to run products of bfloat16 here, "" if they are fast: without the processor's instructions oneDNN
  // throws or computes them slower than those of float32.
  static std::string no_bfloat16();

  // Returns whether run() is a tenth faster than sgemm for a form of float32 (bench/README.md): without an epilogue, b
  // alone transposed, up to kMostRows rows of a. These are the gradients of a linear layer's inputs.
  static constexpr std::int64_t kMostRows = 512;
  static bool is_faster(const ProductForm& form);

  // REQUIRES: m, n and k at least 1; for bfloat16, no_bfloat16() is empty.
  void run(const ProductForm& form, const void* a, const void* b, const float* bias, float* c);

 private:
  class Product;  // a product of one form
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep::cpu
