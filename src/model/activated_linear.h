#pragma once

#include <memory>
#include <optional>

#include "model/dropout_draws.h"
#include "model/linear.h"

namespace lockstep {

struct ActivatedLinearOptions {
  Activation activation = Activation::relu;
  std::optional<double> dropout{};  // rate of a dropout, numbered as a layer; none with tanh or sigmoid
  bool feeds_products = false;      // only products read the output, so it has their operand type
};

// y = f(x * kernel + bias), then dropout: a linear layer and the layers after it, in one operation if the device has
// one (Backend::product_with_activation). Layer numbers, random numbers and, on the CPU, bits are those of the separate
// layers.
class ActivatedLinear final : public Layer {
 public:
  ActivatedLinear(std::unique_ptr<Linear> linear, const ActivatedLinearOptions& options)
      : linear_(std::move(linear)), options_(options), draws_{.rate = options.dropout.value_or(0)} {}

  Shape declare(const Shape& input, Declaration& declaration) override;
  Tensor forward(const Tensor& input, Pass& pass) override;
  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override;
  std::int64_t bytes_per_sample(const LayerPlace& place) const override;

 private:
  std::unique_ptr<Linear> linear_;
  ActivatedLinearOptions options_;
  DropoutDraws draws_;
  Tensor x_;  // input of f; the same as y_ if the slope can be seen in that
  Tensor y_;  // output, after dropout
  LayerMemory x_memory_;
  LayerMemory y_memory_;
  LayerMemory gradient_memory_;
};

// Joins the two into one layer if they are a linear layer and an activation; else returns null and leaves both as they
// are.
LayerPointer join_activation(LayerPointer& linear, LayerPointer& activation);

}  // namespace lockstep
