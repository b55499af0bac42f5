#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "checkpoint/decoder.h"
#include "collective/communicator.h"

namespace lockstep {

// A checkpoint file that the chief has opened, and what every rank knows of it.
struct OpenedCheckpoint {
  CheckpointHeader header{};
  std::string file{};                           // its path
  int replicas = 0;                             // whose optimizer states it holds one by one
  std::uint64_t checksum = 0;                   // its seal's: of two files of one step, which
  bool has_average = false;                     // the moving average of the weights
  std::unique_ptr<CheckpointDecoder> reader{};  // the chief's; null on other ranks
};

// Tells all ranks what the chief has opened; its reader may be null, where there was nothing to open. Returns whether
// there is a checkpoint. COLLECTIVE.
bool share_checkpoint(Communicator& world, std::unique_ptr<CheckpointDecoder> reader, OpenedCheckpoint& opened);

}  // namespace lockstep
