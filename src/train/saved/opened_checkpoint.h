#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "checkpoint/decoder.h"
#include "collective/communicator.h"

namespace lockstep {

// A checkpoint file that the chief has opened, and the facts about it on every rank.
struct OpenedCheckpoint {
  CheckpointHeader header{};
  std::string file{};                           // path of the file
  int replicas = 0;                             // replicas whose optimizer states it holds one by one
  std::uint64_t checksum = 0;                   // the seal's: it tells two files of one step apart
  bool has_average = false;                     // holds the moving average of the weights
  std::unique_ptr<CheckpointDecoder> reader{};  // the chief's; null on other ranks
};

// Shares the checkpoint that the chief has opened with all ranks. reader: the chief's; null if there was nothing to
// open, and on other ranks. Returns whether there is a checkpoint. COLLECTIVE.
bool share_checkpoint(Communicator& world, std::unique_ptr<CheckpointDecoder> reader, OpenedCheckpoint& opened);

}  // namespace lockstep
