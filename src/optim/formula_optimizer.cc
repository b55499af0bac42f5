#include "optim/formula_optimizer.h"

#include <utility>

namespace lockstep {
namespace {

class FormulaOptimizer final : public Optimizer {
 public:
  FormulaOptimizer(std::vector<Slot> slots, Sliceable sliceable, FormulaOfStep formula)
      : slots_(std::move(slots)), sliceable_(sliceable), formula_(std::move(formula)) {}
  const std::vector<Slot>& slots() const override { return slots_; }
  bool sliceable() const override { return sliceable_ == Sliceable::yes; }
  void apply(Backend& backend, const Tensor& values, const Tensor& gradients, std::span<const Tensor> slots,
             const Step& step) const override {
    backend.update({.factor = step.gradient_factor,
                    .device_factor = step.device_factor,
                    .formula = formula_(step, values.count())},
                   values, gradients, slots);
  }

 private:
  std::vector<Slot> slots_;
  Sliceable sliceable_;
  FormulaOfStep formula_;
};

}  // namespace

std::unique_ptr<Optimizer> make_formula_optimizer(std::vector<Optimizer::Slot> slots, Sliceable sliceable,
                                                  FormulaOfStep formula) {
  return std::make_unique<FormulaOptimizer>(std::move(slots), sliceable, std::move(formula));
}

}  // namespace lockstep
