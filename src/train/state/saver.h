#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "checkpoint/background_writer.h"
#include "lease/lease.h"
#include "train/config/training_rank.h"
#include "train/state/state_copy.h"

namespace lockstep {

// Saves a run's state while it continues. Every rank has one; the chief's has the writer and the lease. Main thread.
class Saver {
 public:
  struct Parts {
    const TrainingRank& rank;
    TrainingState state;
    const CheckpointDirectory* folder = nullptr;  // the chief's; null on the others
    std::shared_ptr<Lease> lease{};               // the chief's
    std::function<void()> waiting{};  // the chief's: called from time to time while all ranks wait for the disk
  };
  // A save that is durable now, as the chief reports it.
  struct Saved {
    BackgroundWriter::Written written;
    double waited = 0;  // seconds that training waited for it
  };

  // header: the fields that stay the same from save to save.
  Saver(Parts parts, CheckpointHeader header);

  // Copies the state after cursor.step, waiting for the previous write if it is not done, and starts to write it.
  // COLLECTIVE. Throws the previous write's error, on the chief.
  void save(const BatchCursor& cursor);
  // Makes the checkpoint of last_step() the best one, as soon as it is durable. Local; does nothing on other ranks than
  // the chief. REQUIRES: note.step is last_step().
  void keep_best(const BestNote& note);
  // Waits until everything is durable. finished: nothing is left to do after the state that was saved or resumed from;
  // checkpoint.json says so from then on. COLLECTIVE. Throws as check() does, on the chief.
  void finish(bool finished);

  // To be called on the chief in every step: throws the writer's error, or, if the lease was lost,
  // Error(configuration). Returns the saves that finished since the last call. Local and quick.
  std::vector<Saved> check();

  std::int64_t last_step() const { return header_.step; }  // last step saved or resumed from; 0: none
  double expected_seconds() const;  // seconds until a save from here on is done; 0 on other ranks than the chief

 private:
  void wait_for_writer();
  void collect();  // takes the writer's result. REQUIRES: the writer is idle

  Parts parts_;
  CheckpointHeader header_;
  std::unique_ptr<BackgroundWriter> writer_;  // the chief's
  Stopwatch since_save_;                      // time since the last save
  double waited_ = 0;                         // seconds that training waited for the last save
  std::vector<Saved> saved_{};                // saves not reported yet
  double expected_seconds_ = 0;
  bool measured_ = false;  // expected_seconds_ is the slowest so far, not a guess
};

}  // namespace lockstep
