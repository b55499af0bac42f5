#pragma once

#include <cstdint>
#include <memory>

namespace lockstep::cpu {

// float32 products c (m, n) = a (m, k) * b^T, b (n, k), through oneDNN's matmul primitive: a tenth faster than its
// sgemm for up to kMostRows rows of a on AVX-512, and as fast for more (bench/README.md). Those products are the
// gradients of a linear layer's inputs.
//
// The code made for a shape is kept, of the kMostShapes that were used last, and runs without scratch memory of its
// own. Nothing of ours is allocated from the second call of a shape on. One thread.
class TransposedProducts {
 public:
  static constexpr std::int64_t kMostRows = 512;
  static constexpr std::size_t kMostShapes = 64;

  TransposedProducts();
  ~TransposedProducts();
  TransposedProducts(const TransposedProducts&) = delete;
  TransposedProducts& operator=(const TransposedProducts&) = delete;

  // REQUIRES: m, n and k at least 1.
  void run(const float* a, const float* b, float* c, std::int64_t m, std::int64_t n, std::int64_t k);

 private:
  class Product;  // of one shape
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep::cpu
