#include "model/transformer/transformer.h"

#include <fmt/format.h>

#include "model/loss.h"
#include "model/transformer/transformer_model.h"

namespace lockstep {
namespace {

void refuse(const std::string& why) { throw Error(ExitCode::configuration, why, Scope::every_rank); }

std::unique_ptr<Model> make_model(const char* name, const HParams& hparams, const ProblemShape& shape) {
  if (!shape.has_sequences() || shape.input_type != DType::int32) {
    refuse(
        fmt::format("model {} computes with sequences of symbols, and this problem's samples are {} of {}; choose "
                    "a problem of sequences, such as languagemodel_text, or --model=mlp, which takes any shape",
                    name, shape.input.text(), lockstep::name(shape.input_type)));
  }
  LS_CHECK(
      shape.target == ProblemShape::Target::class_label && shape.outputs == shape.vocabulary && shape.input.rank() == 0,
      "a problem of sequences predicts symbols of its vocabulary");
  if (loss_name(hparams, shape.target) != "softmax_cross_entropy") {
    refuse(fmt::format("hparam loss is {}, and model {} minimises softmax_cross_entropy; set loss=auto",
                       loss_name(hparams, shape.target), name));
  }
  return std::make_unique<TransformerModel>(transformer_options(hparams), shape);
}

}  // namespace

std::unique_ptr<Model> make_transformer_lm(const HParams& hparams, const ProblemShape& shape) {
  if (shape.sample == ProblemShape::Sample::pair) {
    refuse(
        "model transformer_lm reads single sequences, and this problem has pairs of inputs and targets; choose "
        "--model=transformer");
  }
  return make_model("transformer_lm", hparams, shape);
}

std::unique_ptr<Model> make_transformer(const HParams& hparams, const ProblemShape& shape) {
  if (shape.sample == ProblemShape::Sample::sequence) {
    refuse(
        "model transformer reads pairs of inputs and targets, and this problem has single sequences; choose "
        "--model=transformer_lm");
  }
  return make_model("transformer", hparams, shape);
}

}  // namespace lockstep
