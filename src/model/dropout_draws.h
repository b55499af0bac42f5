#pragma once

#include <cstdint>

#include "base/random.h"
#include "model/layer.h"

namespace lockstep {

// The random numbers of one dropout in a network.
struct DropoutDraws {
  double rate = 0;
  int layer = 0;  // number of the dropout's layer in the network

  bool drops(const Pass& pass) const { return rate > 0 && pass.mode == Pass::Mode::train; }
  RandomStream stream(const Pass& pass) const {
    return {.seed = pass.seed,
            .purpose = Purpose::dropout,
            .stream = static_cast<std::uint16_t>(layer),
            .step = static_cast<std::uint32_t>(pass.step)};
  }
};

}  // namespace lockstep
