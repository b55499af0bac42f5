#include "model/transformer/sublayer.h"

#include "model/dropout_draws.h"
#include "model/layer_memory.h"

namespace lockstep {
namespace {

class Sublayer final : public Layer {
 public:
  Sublayer(const TransformerOptions& options, const std::string& name, LayerPointer body)
      : norm_before_(options.norm_before ? make_layer_norm(options.norm_before_products(name + "/norm")) : nullptr),
        body_(std::move(body)),
        draws_{.rate = options.layer_dropout},
        norm_after_(options.norm_after ? make_layer_norm(options.norm(name + "/norm_after")) : nullptr) {}

  Shape declare(const Shape& input, Declaration& declaration) override {
    if (norm_before_ != nullptr) norm_before_->declare(input, declaration);
    body_->declare(input, declaration);
    draws_.layer = declaration.next_layer();
    if (norm_after_ != nullptr) norm_after_->declare(input, declaration);
    return input;
  }

  Tensor forward(const Tensor& input, Pass& pass) override {
    const Tensor sum = sum_of(input, pass);
    return norm_after_ == nullptr ? sum : norm_after_->forward(sum, pass);
  }

  // Only a norm after it reads the sum.
  void restore(const Tensor& input, Pass& pass) override {
    if (norm_after_ == nullptr) {
      body_->restore(body_input(input, pass), pass);
    } else {
      norm_after_->restore(sum_of(input, pass), pass);
    }
  }

  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    const WorkingMemory::Frame frame(pass.memory);
    const Tensor of_sum =
        norm_after_ == nullptr ? output_gradient : norm_after_->backward(output_gradient, InputGradient::needed, pass);
    const InputGradient of_body = norm_before_ == nullptr ? input_gradient : InputGradient::needed;
    Tensor of_input = body_->backward(dropped(of_sum, pass), of_body, pass);
    if (norm_before_ != nullptr) of_input = norm_before_->backward(of_input, input_gradient, pass);
    if (input_gradient == InputGradient::not_needed) return {};
    pass.backend.add(of_input, of_sum, output_gradient);
    return output_gradient;
  }

 private:
  Tensor body_input(const Tensor& input, Pass& pass) {
    return norm_before_ == nullptr ? input : norm_before_->forward(input, pass);
  }

  Tensor sum_of(const Tensor& input, Pass& pass) {
    const Tensor sum = body_->forward(body_input(input, pass), pass);
    if (draws_.drops(pass)) pass.backend.dropout(draws_.rate, draws_.stream(pass), pass.row_ids, sum, sum);
    pass.backend.add(input, sum);
    return sum;
  }

  // The result has memory of its own, as the gradient of the sum is needed once more.
  Tensor dropped(const Tensor& gradient, Pass& pass) {
    if (!draws_.drops(pass)) return gradient;
    const Tensor to = dropped_memory_.get(pass, gradient.dtype(), gradient.shape());
    pass.backend.dropout(draws_.rate, draws_.stream(pass), pass.row_ids, gradient, to);
    return to;
  }

  LayerPointer norm_before_;  // null: none
  LayerPointer body_;
  DropoutDraws draws_;
  LayerPointer norm_after_;  // null: none
  LayerMemory dropped_memory_;
};

}  // namespace

LayerPointer make_sublayer(const TransformerOptions& options, const std::string& name, LayerPointer body) {
  return std::make_unique<Sublayer>(options, name, std::move(body));
}

}  // namespace lockstep
