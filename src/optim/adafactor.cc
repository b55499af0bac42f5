#include <cmath>

#include "optim/formula_optimizer.h"
#include "optim/optimizer_hparams.h"
#include "optim/optimizers.h"

namespace lockstep {

HParams adafactor_hparams() {
  return weight_decay_hparams()
      .set("optimizer_adafactor_memory_exponent", 0.8)
      .set("optimizer_adafactor_clipping_threshold", 1.0)
      .set("optimizer_adafactor_multiply_by_parameter_scale", true);
}

std::unique_ptr<Optimizer> make_adafactor(const HParams& hparams) {
  const double memory_exponent = number_in(hparams, "optimizer_adafactor_memory_exponent", 0.01, 1);
  const double clipping = number_in(hparams, "optimizer_adafactor_clipping_threshold", 0);
  const double weight_decay = weight_decay_of(hparams);
  const bool relative = boolean_or(true, hparams, "optimizer_adafactor_multiply_by_parameter_scale");
  return make_formula_optimizer(
      {{"v", /*non_negative=*/true}}, Sliceable::no, [=](const Optimizer::Step& step, std::int64_t count) {
        // The last two extents are rows and columns of a matrix, those before count matrices: tensor2tensor's rule.
        const int rank = step.shape.rank();
        return AdafactorStep{.rate = step.learning_rate,
                             .decay = 1 - std::pow(static_cast<double>(step.number), -memory_exponent),
                             .clipping = clipping,
                             .weight_decay = decay_of(step, weight_decay),
                             .rows = rank < 2 ? 1 : step.shape[rank - 2],
                             .columns = rank < 2 ? count : step.shape[rank - 1],
                             .relative = relative};
      });
}

}  // namespace lockstep
