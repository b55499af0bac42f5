#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <vector>

#include "tensor/dtype.h"

// Least time for the products of a network: each of them alone, in oneDNN's fastest form for its shape.
namespace lockstep::bench {

// c (m, n) = op(a) (m, k) * op(b) (k, n), one of the three products of a linear layer.
struct Product {
  enum class Form { plain, a_transposed, b_transposed };
  Form form;
  std::int64_t m, n, k;
  DType dtype = DType::float32;  // type of a and b

  auto operator<=>(const Product&) const = default;
};

enum class Direction { forward, backward_input, backward_kernel };

// Convolution with square images and kernels.
struct ImageProduct {
  Direction direction;
  std::int64_t batch, side, channels, filters, kernel_side;
  std::int64_t stride = 1;
  std::int64_t before = 0;  // rows, and columns, of padding in front of the image
  std::int64_t after = 0;   // rows, and columns, of padding behind it

  std::int64_t out_side() const { return (before + side + after - kernel_side) / stride + 1; }
  auto operator<=>(const ImageProduct&) const = default;
};

// Number of operations: a multiplication and an addition are one each.
inline double flop(const Product& product) {
  return 2.0 * static_cast<double>(product.m) * static_cast<double>(product.n) * static_cast<double>(product.k);
}
inline double flop(const ImageProduct& image) {
  const double sums = static_cast<double>(image.batch * image.filters) * static_cast<double>(image.out_side()) *
                      static_cast<double>(image.out_side());
  return 2.0 * sums * static_cast<double>(image.channels * image.kernel_side * image.kernel_side);
}

// One product in all forms that oneDNN has for it: on operands in the dense layout of tensors, and on operands that are
// already in layouts of oneDNN's choice. measure() times a few calls of each form; best_us() is the fastest call so far
// in microseconds (0 before the first measure()), times `calls`, the number per step. Owns its operands. One thread.
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
  double best_us_ = kNever;  // time of one call
  std::int64_t calls_ = 1;
};

}  // namespace lockstep::bench
