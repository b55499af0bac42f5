#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/layer_memory.h"
#include "model/layers.h"

namespace lockstep {

// Initial values of a kernel.
Initializer initializer_of(LinearInit init, std::int64_t inputs, std::int64_t outputs);

// The layer of make_linear(). ActivatedLinear knows this class, and computes an activation along with the product.
class Linear final : public Layer {
 public:
  Linear(std::int64_t outputs, LinearInit init) : outputs_(outputs), init_(init) {}
  explicit Linear(const LinearOptions& options)
      : outputs_(options.outputs), start_(options.kernel), name_(options.name), has_bias_(options.has_bias) {}

  Shape declare(const Shape& input, Declaration& declaration) override;
  Tensor forward(const Tensor& input, Pass& pass) override;
  void restore(const Tensor& input, Pass& pass) override;
  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override;
  std::int64_t bytes_per_sample(const LayerPlace& place) const override;

  // The factors and the bias (empty: none) of the product, after forward() or restore().
  const Tensor& input() const { return input_; }
  Tensor kernel(const Pass& pass) const { return pass.parameters.product_value(kernel_); }
  Tensor bias(const Pass& pass) const { return has_bias_ ? pass.parameters.value(kernel_ + 1) : Tensor(); }
  Shape output_shape() const { return {input_.shape()[0], outputs_}; }

 private:
  Shape input_shape_;  // shape of one sample
  std::int64_t inputs_ = 0;
  std::int64_t outputs_;
  LinearInit init_ = LinearInit::glorot_uniform;
  std::optional<Initializer> start_{};  // overrides init_
  std::string name_{};
  bool has_bias_ = true;
  int kernel_ = 0;  // the bias, if there is one, comes next
  Tensor input_;    // (B, inputs), the previous layer's or a copy of it
  LayerMemory input_copy_;
  LayerMemory gradient_copy_;
  LayerMemory output_memory_;
  LayerMemory gradient_memory_;
};

}  // namespace lockstep
