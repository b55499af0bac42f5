#include <fmt/format.h>

#include "model/dropout_draws.h"
#include "model/layer_memory.h"
#include "model/layers.h"

namespace lockstep {
namespace {

class Dropout final : public Layer {
 public:
  explicit Dropout(double rate) : draws_{.rate = rate} {}

  Shape declare(const Shape& input, Declaration& declaration) override {
    draws_.layer = declaration.next_layer();
    return input;
  }

  Tensor forward(const Tensor& input, Pass& pass) override {
    if (!draws_.drops(pass)) return input;
    const Tensor output = output_memory_.get(pass, input.dtype(), input.shape());
    pass.backend.dropout(draws_.rate, draws_.stream(pass), pass.row_ids, input, output);
    return output;
  }

  // The same elements are dropped and the others scaled alike: the draws are computed again, not stored.
  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    if (input_gradient == InputGradient::not_needed) return {};
    if (draws_.drops(pass)) {
      pass.backend.dropout(draws_.rate, draws_.stream(pass), pass.row_ids, output_gradient, output_gradient);
    }
    return output_gradient;
  }

  std::int64_t bytes_per_sample(const LayerPlace& place) const override {
    return draws_.rate > 0 ? sample_bytes(place.output) : 0;
  }

 private:
  DropoutDraws draws_;
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
