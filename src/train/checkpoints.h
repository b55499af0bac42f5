#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "data/batch_plan.h"
#include "train/config/training_rank.h"
#include "train/strategy/replica.h"
#include "train/strategy/strategy.h"

namespace lockstep {

// The checkpoints of a training loop of one's own: a replica's parameters, its optimizer's state, and how far the data
// are consumed. They are files as train writes them (docs/checkpoint_format.md), with the same care: a thread writes
// them while training goes on, one job at a time has the folder, a damaged file is refused and never resumed from.
//
// COLLECTIVE, all of it but the destructor. Only the chief's host has to see the folder. Main thread.
class Checkpoints {
 public:
  struct Options {
    std::string folder;        // made if it is not there
    std::string model;         // its name, in files and messages
    std::string problem = "";  // likewise
    std::uint64_t seed = 1;    // for who reads the files
    std::int64_t keep = 5;     // the newest; 0: all
  };

  // Takes the folder, and waits for a job that ends in it. rank, replica and strategy outlive this. Throws
  // Error(cannot_write), or Error(configuration) naming the job that has the folder.
  Checkpoints(const TrainingRank& rank, Replica& replica, const Strategy& strategy, const Options& options);
  ~Checkpoints();  // local: what is being written may be lost

  // Every replica takes the state of the newest checkpoint; returns where in the data it stands. {}, step 0, and
  // nothing changes if the folder has none. Throws Error(bad_data) that names a damaged file, Error(configuration) for
  // one of another model or optimizer.
  BatchCursor restore();

  // Copies the chief's state, that of after cursor.step, and returns; the copy is durable before the next save() or
  // close() returns. Throws Error(internal) unless strategy.replicas_equal(): replicas that differ have no one state.
  void save(const BatchCursor& cursor);

  // Waits until all is durable, and gives the folder back. The good path's last call.
  void close();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace lockstep
