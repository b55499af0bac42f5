// A layer of your own: the parameters that it learns, its forward pass and its gradients.
#include "swish.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "model/layer_memory.h"

using namespace lockstep;

namespace {

template <class T>
T sigmoid(T x) {
  return 1 / (1 + std::exp(-x));
}

class Swish final : public Layer {
 public:
  // Once, before all else: names the variables and says what shape comes out. Shapes are of one sample.
  Shape declare(const Shape& input, Declaration& declaration) override {
    if (input.rank() == 0) throw Error(ExitCode::configuration, "swish needs channels", Scope::every_rank);
    const std::int64_t channels = input[input.rank() - 1];
    const std::string name = "swish_" + std::to_string(declaration.next_layer());
    beta_ = declaration.variable(name + "/beta", {channels}, Initializer::ones(), false);  // false: no weight decay
    return input;
  }

  // (B, ...) -> (B, ...). The input stays as it is until backward(), so it need not be copied; what is returned lies in
  // memory of the layer's own, which is kept from step to step.
  Tensor forward(const Tensor& input, Pass& pass) override {
    input_ = input;
    const Tensor output = output_memory_.get(pass.backend, input.dtype(), input.shape());
    if (input.dtype() == DType::float32) compute<float>(output, pass);
    if (input.dtype() == DType::float64) compute<double>(output, pass);  // the gradient check
    return output;
  }

  // Writes the gradients of its variables, then reports them as ready, once: from then on they travel to other ranks.
  // Returns the gradient of the input, here in the memory of the output's, if a layer before this one needs it.
  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    if (input_.dtype() == DType::float32) differentiate<float>(output_gradient, pass);
    if (input_.dtype() == DType::float64) differentiate<double>(output_gradient, pass);
    if (pass.on_gradient_ready) pass.on_gradient_ready(pass.parameters.table().padded(beta_, beta_ + 1));
    return input_gradient == InputGradient::needed ? output_gradient : Tensor();
  }

 private:
  template <class T>
  void compute(const Tensor& output, const Pass& pass) const {
    const std::span<T> x = input_.span<T>();
    const std::span<T> beta = pass.parameters.value(beta_).span<T>();
    const std::span<T> y = output.span<T>();
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * sigmoid(beta[i % beta.size()] * x[i]);
  }

  // With s = sigmoid(beta x):  dy / dx = s + beta x s (1 - s),  dy / dbeta = x^2 s (1 - s), summed over all samples.
  template <class T>
  void differentiate(const Tensor& gradient, const Pass& pass) const {
    const std::span<T> x = input_.span<T>();
    const std::span<T> beta = pass.parameters.value(beta_).span<T>();
    const std::span<T> beta_gradient = pass.parameters.gradient(beta_).span<T>();
    const std::span<T> dy = gradient.span<T>();  // becomes dx
    std::ranges::fill(beta_gradient, T{0});      // gradients are written, not added to what was there
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t channel = i % beta.size();
      const T s = sigmoid(beta[channel] * x[i]);
      beta_gradient[channel] += dy[i] * x[i] * x[i] * s * (1 - s);
      dy[i] *= s + beta[channel] * x[i] * s * (1 - s);
    }
  }

  int beta_ = 0;  // the variable's number in the table
  Tensor input_;  // the layer before's
  LayerMemory output_memory_;
};

}  // namespace

LayerPointer make_swish() { return std::make_unique<Swish>(); }
