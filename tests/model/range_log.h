#pragma once

#include <cstdint>

#include "tensor/flat_range.h"

namespace lockstep {

// Records on_gradient_ready calls: each range has to end where the one before began.
class RangeLog {
 public:
  explicit RangeLog(std::int64_t padded_count) : mark_(padded_count) {}

  void operator()(FlatRange range) {
    in_order_ = in_order_ && range.end == mark_;
    mark_ = range.begin;
  }
  bool complete() const { return in_order_ && mark_ == 0; }

 private:
  std::int64_t mark_;
  bool in_order_ = true;
};

}  // namespace lockstep
