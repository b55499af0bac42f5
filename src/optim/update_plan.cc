#include "optim/update_plan.h"

namespace lockstep {

std::vector<UpdateSpan> plan_updates(const ParameterTable& table, bool sliceable) {
  using Decay = Optimizer::Decay;
  std::vector<UpdateSpan> spans;
  bool touches = false;  // the last span ends where this variable begins, but for padding
  for (const Variable& variable : table.variables()) {
    if (!variable.trainable || variable.range.empty()) {
      touches = touches && variable.range.empty();
      continue;
    }
    const Decay decay = variable.decay ? Decay::decayed : Decay::spared;
    if (sliceable && touches && spans.back().decay == decay) {
      spans.back().range.end = variable.range.end;
    } else {
      spans.push_back({.range = variable.range, .decay = decay});
    }
    touches = true;
  }
  return spans;
}

}  // namespace lockstep
