#include "collective/wire/segment_plan.h"

#include <algorithm>

namespace lockstep {

void append_segments(SegmentPlan& plan, SegmentStep step, std::int64_t segment) {
  const FlatRange whole = step.range;
  for (std::int64_t begin = whole.begin; begin < whole.end; begin += segment) {
    step.range = {begin, std::min(begin + segment, whole.end)};
    plan.push_back(step);
  }
}

}  // namespace lockstep
