#include "optim/update_plan.h"

#include <algorithm>

#include "base/error.h"

namespace lockstep {

std::vector<UpdateSpan> plan_updates(const ParameterTable& table, bool sliceable) {
  using Decay = Optimizer::Decay;
  std::vector<UpdateSpan> spans;
  bool touches = false;  // the last span ends where this variable begins, except for padding
  for (const Variable& variable : table.variables()) {
    if (!variable.trainable || variable.range.empty()) {
      touches = touches && variable.range.empty();
      continue;
    }
    const Decay decay = variable.decay ? Decay::decayed : Decay::spared;
    if (sliceable && touches && spans.back().decay == decay) {
      spans.back().range.end = variable.range.end;
    } else {
      spans.push_back({.range = variable.range, .decay = decay, .shape = sliceable ? Shape() : variable.shape});
    }
    touches = true;
  }
  return spans;
}

std::vector<UpdateSpan> plan_updates(const ParameterTable& table, bool sliceable, std::span<const FlatRange> owned) {
  const std::vector<UpdateSpan> all = plan_updates(table, sliceable);
  std::vector<UpdateSpan> spans;
  for (const FlatRange range : owned) {
    for (const UpdateSpan& span : all) {
      const FlatRange part{std::max(range.begin, span.range.begin), std::min(range.end, span.range.end)};
      if (part.begin >= part.end) continue;
      LS_CHECK(sliceable || part == span.range, "an owned range cuts a variable of an optimizer that is not sliceable");
      spans.push_back({.range = part, .decay = span.decay, .shape = span.shape});
    }
  }
  return spans;
}

}  // namespace lockstep
