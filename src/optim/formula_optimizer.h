#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "optim/optimizer.h"

namespace lockstep {

enum class Sliceable { no, yes };  // the value of Optimizer::sliceable()

// Returns the formula, with its constants, for one step's update of `count` values.
using FormulaOfStep = std::function<UpdateFormula(const Optimizer::Step& step, std::int64_t count)>;

// An optimizer that updates values by a formula of tensor/update_steps.h. slots: as many as the formula has.
std::unique_ptr<Optimizer> make_formula_optimizer(std::vector<Optimizer::Slot> slots, Sliceable sliceable,
                                                  FormulaOfStep formula);

}  // namespace lockstep
