#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <vector>

#include "tensor/dtype.h"

// The least time that the products of a network can take: each of them alone, in oneDNN's fastest form for its shape.
namespace lockstep::bench {

// c (m, n) = op(a) (m, k) * op(b) (k, n), one of a linear layer's three.
struct Product {
  enum class Form { plain, a_transposed, b_transposed };
  Form form;
  std::int64_t m, n, k;
  DType dtype = DType::float32;  // of a and b

  auto operator<=>(const Product&) const = default;
};

enum class Direction { forward, backward_input, backward_kernel };

// Square images and kernels.
struct ImageProduct {
  Direction direction;
  std::int64_t batch, side, channels, filters, kernel_side;
  std::int64_t stride = 1;
  std::int64_t before = 0;  // rows, and columns, of padding; after: behind the image
  std::int64_t after = 0;

  std::int64_t out_side() const { return (before + side + after - kernel_side) / stride + 1; }
  auto operator<=>(const ImageProduct&) const = default;
};

// A multiplication and an addition each.
inline double flop(const Product& product) {
  return 2.0 * static_cast<double>(product.m) * static_cast<double>(product.n) * static_cast<double>(product.k);
}
inline double flop(const ImageProduct& image) {
  const double sums = static_cast<double>(image.batch * image.filters) * static_cast<double>(image.out_side()) *
                      static_cast<double>(image.out_side());
  return 2.0 * sums * static_cast<double>(image.channels * image.kernel_side * image.kernel_side);
}

// One product in all the forms that oneDNN has for it: the dense layout of the contract, and layouts of its own choice
// with operands that lie in them already. measure() takes the best of a few calls of each form, in microseconds; what a
// process says is the smallest of all it measured, 0 before that, for all the calls of a step. Owns its operands. One
// thread.
class FloorForms {
 public:
  explicit FloorForms(const Product& product, std::int64_t calls = 1);
  explicit FloorForms(const ImageProduct& product, std::int64_t calls = 1);
  ~FloorForms();
  FloorForms(FloorForms&&) noexcept;
  FloorForms& operator=(FloorForms&&) noexcept;

  void measure();
  double best_us() const { return best_us_ == kNever ? 0 : best_us_ * static_cast<double>(calls_); }

  struct Form;

 private:
  void add(std::unique_ptr<Form> form);

  static constexpr double kNever = 1e30;

  std::vector<std::unique_ptr<Form>> forms_;
  double best_us_ = kNever;  // of one call
  std::int64_t calls_ = 1;
};

}  // namespace lockstep::bench
