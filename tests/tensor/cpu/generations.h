#pragma once

#include <vector>

#include "tensor/cpu/generation.h"

namespace lockstep::cpu {

// All generations that this processor can run.
inline std::vector<Generation> generations() {
  std::vector<Generation> all{Generation::oldest};
  if (newest_generation() != Generation::oldest) all.push_back(Generation::v3);
  if (newest_generation() == Generation::v4) all.push_back(Generation::v4);
  return all;
}

}  // namespace lockstep::cpu
