#include <fmt/format.h>

#include "model/layer_memory.h"
#include "model/layers.h"

namespace lockstep {
namespace {

class Dropout final : public Layer {
 public:
  explicit Dropout(double rate) : rate_(rate) {}

  Shape declare(const Shape& input, Declaration& declaration) override {
    number_ = declaration.next_layer();
    return input;
  }

  Tensor forward(const Tensor& input, Pass& pass) override {
    if (!drops(pass)) return input;
    const Tensor output = output_memory_.get(pass.backend, input.dtype(), input.shape());
    pass.backend.dropout(rate_, stream(pass), pass.row_ids, input, output);
    return output;
  }

  // The same elements fall and the others are scaled alike: the draws are computed again, not stored.
  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    if (input_gradient == InputGradient::not_needed) return {};
    if (drops(pass)) {
      pass.backend.dropout(rate_, stream(pass), pass.row_ids, output_gradient, output_gradient);
    }
    return output_gradient;
  }

 private:
  bool drops(const Pass& pass) const { return rate_ > 0 && pass.mode == Pass::Mode::train; }

  RandomStream stream(const Pass& pass) const {
    return {.seed = pass.seed,
            .purpose = Purpose::dropout,
            .stream = static_cast<std::uint16_t>(number_),
            .step = static_cast<std::uint32_t>(pass.step)};
  }

  double rate_;
  int number_ = 0;
  LayerMemory output_memory_;
};

}  // namespace

LayerPointer make_dropout(double rate) {
  if (!(rate >= 0 && rate < 1)) {
    throw Error(ExitCode::usage, fmt::format("hparam dropout is {}; it has to be at least 0 and below 1", rate),
                Scope::every_rank);
  }
  return std::make_unique<Dropout>(rate);
}

}  // namespace lockstep
