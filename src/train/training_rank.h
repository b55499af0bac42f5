#pragma once

#include "base/log.h"
#include "base/trace.h"
#include "collective/communicator.h"
#include "tensor/backend.h"
#include "train/requests.h"

namespace lockstep {

// Where a rank trains, and who may ask it to stop. Everything is the caller's.
struct TrainingRank {
  Communicator& world;
  Backend& backend;
  Trace& trace;
  Log& log;
  StopSource stop{};
};

}  // namespace lockstep
