#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "data/batch_plan.h"
#include "train/config/training_rank.h"
#include "train/strategy/replica.h"
#include "train/strategy/strategy.h"

namespace lockstep {

// Checkpoints of a user's own training loop: a replica's parameters, its optimizer's state, and the position in the
// data. The files are those that train writes (docs/checkpoint_format.md), with the same care: a thread writes them
// while training goes on, one job at a time holds the folder, a damaged file is refused and never resumed from.
//
// COLLECTIVE, except for the destructor. Only the chief's host needs to see the folder. Main thread.
class Checkpoints {
 public:
  struct Options {
    std::string folder;        // created if missing
    std::string model;         // name of the model, in files and messages
    std::string problem = "";  // name of the problem, in the files
    std::uint64_t seed = 1;    // seed of the loop, for readers of the files
    std::int64_t keep = 5;     // number of newest checkpoints to keep; 0: all
  };

  // Takes the folder, after waiting for a job that is ending in it. rank, replica and strategy outlive this. Throws
  // Error: usage for a folder without a name, cannot_write, configuration naming the job that has the folder, or if the
  // ranks differ in it.
  Checkpoints(const TrainingRank& rank, Replica& replica, const Strategy& strategy, const Options& options);
  ~Checkpoints();  // local; a write in progress may be lost

  // Loads the newest checkpoint's state into every replica, and returns its position in the data. If the folder has
  // none, nothing changes and {} (step 0) is returned. Throws Error(bad_data) naming a damaged file, or
  // Error(configuration) for a checkpoint of another model or optimizer.
  BatchCursor restore();

  // Copies the chief's state after cursor.step, and returns; the copy is durable before the next save() or close()
  // returns, or that call throws on the chief: Error(cannot_write), (internal) if values are not finite,
  // (configuration) if another job has taken the folder. Throws Error(internal) unless strategy.replicas_equal():
  // replicas that differ have no single state.
  void save(const BatchCursor& cursor);

  // Waits until everything is durable, and releases the folder. The last call of a loop that succeeds. Throws as save()
  // does.
  void close();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace lockstep
