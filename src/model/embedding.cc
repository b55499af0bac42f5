#include <fmt/format.h>

#include "model/layer_memory.h"
#include "model/layers.h"

namespace lockstep {
namespace {

class Embedding final : public Layer {
 public:
  Embedding(std::int64_t vocabulary, std::int64_t width) : vocabulary_(vocabulary), width_(width) {
    if (vocabulary >= 1 && width >= 1) return;
    throw Error(ExitCode::configuration,
                fmt::format("an embedding of {} symbols in {} numbers each; both have to be at least 1, and only a "
                            "problem with int32 inputs has a vocabulary",
                            vocabulary, width),
                Scope::every_rank);
  }

  Shape declare(const Shape& input, Declaration& declaration) override {
    if (input.rank() + 2 > Shape::kMaxRank) {  // the batch axis and the width
      throw Error(ExitCode::configuration,
                  fmt::format("an embedding of inputs {} would have more than {} axes with the batch's; flatten the "
                              "problem's inputs",
                              input.text(), Shape::kMaxRank),
                  Scope::every_rank);
    }
    table_ = declaration.variable(fmt::format("embedding_{}/table", declaration.next_layer()), {vocabulary_, width_},
                                  Initializer::unit_rows(width_), true);
    std::vector<std::int64_t> extents(input.extents().begin(), input.extents().end());
    extents.push_back(width_);
    output_ = Shape(extents);
    return output_;
  }

  Tensor forward(const Tensor& input, Pass& pass) override {
    if (input.dtype() != DType::int32) {
      throw Error(ExitCode::configuration,
                  fmt::format("an embedding takes numbers of symbols (int32), and got {}; let it stand first in the "
                              "model, and choose a problem with int32 inputs",
                              name(input.dtype())),
                  Scope::every_rank);
    }
    ids_ = input.reshaped({input.count()});
    const Shape shape = output_.with_front(input.shape()[0]);
    const Tensor output = output_memory_.get(pass.backend, pass.parameters.dtype(), shape);
    pass.backend.embed({}, pass.parameters.value(table_), ids_, output.reshaped({ids_.count(), width_}),
                       Write::replace);
    return output;
  }

  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    LS_CHECK(input_gradient == InputGradient::not_needed, "an embedding stands first: numbers have no gradient");
    pass.backend.embed_backward({}, ids_, output_gradient.reshaped({ids_.count(), width_}),
                                pass.parameters.gradient(table_), Write::replace);
    if (pass.on_gradient_ready) pass.on_gradient_ready(pass.parameters.table().padded(table_, table_ + 1));
    return {};
  }

  std::int64_t bytes_per_sample(const LayerPlace& place) const override { return sample_bytes(place.output); }

 private:
  std::int64_t vocabulary_;
  std::int64_t width_;
  int table_ = 0;
  Shape output_;  // shape of one sample
  Tensor ids_;    // flattened
  LayerMemory output_memory_;
};

}  // namespace

LayerPointer make_embedding(std::int64_t vocabulary, std::int64_t width) {
  return std::make_unique<Embedding>(vocabulary, width);
}

}  // namespace lockstep
