#include "model/transformer/feed_forward.h"

#include "model/dropout_draws.h"
#include "model/layer_memory.h"

namespace lockstep {
namespace {

class FeedForward final : public Layer {
 public:
  FeedForward(const TransformerOptions& options, const StackPlace& place)
      : in_(make_linear({.outputs = options.filter_size,
                         .kernel = kernel_values(options, options.hidden_size, options.filter_size),
                         .name = place.name + "/in",
                         .has_bias = options.feed_forward_has_bias()})),
        activation_(options.activation),
        draws_{.rate = options.inner_dropout},
        out_(make_linear({.outputs = options.hidden_size,
                          .kernel = residual_values(options, options.filter_size, place.layers),
                          .name = place.name + "/out",
                          .has_bias = options.feed_forward_has_bias()})) {}

  Shape declare(const Shape& input, Declaration& declaration) override {
    const Shape hidden = in_->declare(input, declaration);
    declaration.next_layer();  // the activation
    draws_.layer = declaration.next_layer();
    return out_->declare(hidden, declaration);
  }

  Tensor forward(const Tensor& input, Pass& pass) override {
    activate(input, pass);
    return out_->forward(hidden_, pass);
  }

  void restore(const Tensor& input, Pass& pass) override {
    activate(input, pass);
    out_->restore(hidden_, pass);
  }

  // The gradient as products take it, rounded once: bfloat16's is what the bias of the layer in front adds up as well,
  // in float32.
  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    const Tensor of_hidden = out_->backward(output_gradient, InputGradient::needed, pass);
    if (draws_.drops(pass)) {
      pass.backend.dropout(draws_.rate, draws_.stream(pass), pass.row_ids, of_hidden, of_hidden);
    }
    const DType dtype = pass.parameters.product_dtype();
    const Tensor gradient =
        dtype == of_hidden.dtype() ? of_hidden : gradient_memory_.get(pass, dtype, of_hidden.shape());
    pass.backend.activate_backward(activation_, before_, hidden_, of_hidden, gradient);
    return in_->backward(gradient, input_gradient, pass);
  }

 private:
  // The widest rows of the network: a ReLU replaces what it gets, as its slope can be seen in what it gives, and
  // dropout replaces what any activation gives. What goes straight into a product is written as that takes it.
  void activate(const Tensor& input, Pass& pass) {
    before_ = in_->forward(input, pass);
    const DType dtype = draws_.drops(pass) ? before_.dtype() : pass.parameters.product_dtype();
    const bool replaces = activation_ == Activation::relu && dtype == before_.dtype();
    hidden_ = replaces ? before_ : hidden_memory_.get(pass, dtype, before_.shape());
    pass.backend.activate(activation_, before_, hidden_);
    if (draws_.drops(pass)) pass.backend.dropout(draws_.rate, draws_.stream(pass), pass.row_ids, hidden_, hidden_);
  }

  LayerPointer in_;
  Activation activation_;
  DropoutDraws draws_;
  LayerPointer out_;
  Tensor before_;  // the activation, or in its place what that gave
  Tensor hidden_;  // after dropout; GELU's slope, the other activation's, follows from before_ alone
  LayerMemory hidden_memory_;
  LayerMemory gradient_memory_;
};

}  // namespace

LayerPointer make_feed_forward(const TransformerOptions& options, const StackPlace& place) {
  return std::make_unique<FeedForward>(options, place);
}

}  // namespace lockstep
