#include <fmt/format.h>

#include <functional>
#include <ranges>

#include "model/activated_linear.h"
#include "model/gradient_order.h"
#include "model/layers.h"

namespace lockstep {
namespace {

class Sequential final : public Layer {
 public:
  // A ReLU before a maximum pooling computes the same bits after it, gradients as well, from a quarter of the elements
  // or less: the largest stays the largest, and if it is not above zero its gradient is zero anyway.
  // A linear layer and its activation become one (model/activated_linear.h).
  explicit Sequential(std::vector<LayerPointer> layers) {
    for (std::size_t i = 0; i + 1 < layers.size(); ++i) {
      if (layers[i]->known_as() == Known::relu && layers[i + 1]->known_as() == Known::max_pooling) {
        std::swap(layers[i], layers[i + 1]);
      }
    }
    for (std::size_t i = 0; i < layers.size(); ++i) {
      Part part{.place = i};
      if (i + 1 < layers.size()) part.layer = join_activation(layers[i], layers[i + 1]);
      if (part.layer != nullptr) {
        ++i;
      } else {
        part.layer = std::move(layers[i]);
      }
      parts_.push_back(std::move(part));
    }
  }

  Shape declare(const Shape& input, Declaration& declaration) override {
    Shape shape = input;
    const int learned_in_front = declaration.trainable();
    for (Part& part : parts_) {
      part.asked = declaration.trainable() > learned_in_front ? InputGradient::needed : InputGradient::not_needed;
      part.input = shape;
      part.first_variable = declaration.variables();
      part.output = shape = part.layer->declare(shape, declaration);
      part.end_variable = declaration.variables();
    }
    return shape;
  }

  Tensor forward(const Tensor& input, Pass& pass) override {
    batch_ = input.shape()[0];
    Tensor x = input;
    for (const Part& part : parts_) x = output_of(part, x, pass);
    return x;
  }

  void restore(const Tensor& input, Pass& pass) override {
    batch_ = input.shape()[0];
    Tensor x = input;
    for (const Part& part : parts_) {
      if (&part == &parts_.back()) return part.layer->restore(x, pass);
      x = output_of(part, x, pass);
    }
  }

  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    const Part* running = nullptr;
    const auto report = [&](FlatRange range) {
      check_own(*running, pass, range);
      pass.on_gradient_ready(range);
    };
    Pass watched = pass.without_listener();
    if (pass.on_gradient_ready) watched.on_gradient_ready = std::ref(report);  // a reference allocates nothing
    Tensor gradient = output_gradient;
    for (const Part& part : std::views::reverse(parts_)) {
      running = &part;
      const InputGradient own = gradient_of(part, input_gradient);
      gradient = part.layer->backward(gradient, own, watched);
      if (own == InputGradient::needed) check_gradient(part, pass, gradient);
    }
    return gradient;
  }

  // Each layer keeps its output, as the next one reads it again in backward().
  std::int64_t bytes_per_sample(const LayerPlace& place) const override {
    std::int64_t bytes = 0;
    for (const Part& part : parts_) {
      bytes += part.layer->bytes_per_sample({.input = part.input,
                                             .output = part.output,
                                             .input_gradient = gradient_of(part, place.input_gradient),
                                             .products = place.products});
    }
    return bytes;
  }

 private:
  struct Part {
    LayerPointer layer{};
    std::size_t place = 0;  // in the list
    Shape input{};          // shape of one sample
    Shape output{};
    int first_variable = 0;  // in the table
    int end_variable = 0;
    // Needed if a layer before it learns from its input's gradient. After a standardization or a flattening that comes
    // first none does, and the first real layer saves a product.
    InputGradient asked = InputGradient::not_needed;
  };

  // whole: for the gradient of the whole list's input.
  static InputGradient gradient_of(const Part& part, InputGradient whole) {
    return whole == InputGradient::needed ? whole : part.asked;
  }

  Tensor output_of(const Part& part, const Tensor& input, Pass& pass) const {
    Tensor output = part.layer->forward(input, pass);
    const Shape expected = part.output.with_front(batch_);
    if (output.shape() == expected) return output;
    refuse(part, pass,
           fmt::format("gives {}, and its declare() has said {} (with the batch in front)", output.shape().text(),
                       expected.text()));
  }

  // A layer's fault shows in the next layer. The layer is named here, before the next one sees it.
  [[noreturn]] void refuse(const Part& part, const Pass& pass, const std::string& what) const {
    const ParameterTable& table = pass.parameters.table();
    const std::string name =
        part.first_variable < part.end_variable
            ? owners_of(table, table.padded(part.first_variable, part.end_variable))
            : fmt::format("layer {} of its list (counted from 0), which has no variables,", part.place);
    throw Error(ExitCode::internal, fmt::format("{} {}", name, what), Scope::every_rank);
  }

  void check_own(const Part& part, const Pass& pass, FlatRange range) const {
    const FlatRange own = pass.parameters.table().padded(part.first_variable, part.end_variable);
    if (range.empty() || (own.begin <= range.begin && range.end <= own.end)) return;
    refuse(part, pass,
           fmt::format("reported the gradients [{}, {}) as ready, and its own are [{}, {}): "
                       "pass.parameters.table().padded() takes the number of its first variable, and that "
                       "of its last plus 1",
                       range.begin, range.end, own.begin, own.end));
  }

  void check_gradient(const Part& part, const Pass& pass, const Tensor& gradient) const {
    const Shape expected = part.input.with_front(batch_);
    if (gradient.shape() == expected) return;
    refuse(part, pass,
           is_given(gradient) ? fmt::format("gives a gradient of its input of {}, and the input is {}",
                                            gradient.shape().text(), expected.text())
                              : "gives no gradient of its input, which is needed (InputGradient::needed)");
  }

  std::vector<Part> parts_;
  std::int64_t batch_ = 0;  // batch size of the current pass
};

}  // namespace

LayerPointer make_sequential(std::vector<LayerPointer> layers) {
  return std::make_unique<Sequential>(std::move(layers));
}

}  // namespace lockstep
