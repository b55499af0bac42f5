#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "base/worker_thread.h"
#include "checkpoint/directory.h"
#include "checkpoint/state.h"

namespace lockstep {

// The thread that turns a copy of the state into a checkpoint file while training continues. The chief's; called from
// the main thread. Parameters that are not finite are not a state to resume from: an Error(internal) instead of a file.
// That, and what the disk refuses, comes out of idle() and of the next write(). The destructor waits for a second at
// most: a thread that hangs in a write is left to itself, with all that it works on.
class BackgroundWriter {
 public:
  struct Written {
    std::int64_t step = 0;
    std::size_t bytes = 0;
    double seconds = 0;  // from the copy to the durable file
  };

  // before_rename: as in replace_file; called on the writer's thread.
  BackgroundWriter(const CheckpointDirectory& folder, StateLayout layout, std::function<void()> before_rename);

  // The copy to be filled. REQUIRES: idle.
  StateArrays& arrays() { return job_->arrays; }
  // Starts to write the copy. REQUIRES: idle.
  void write(const CheckpointHeader& header);
  // Makes the folder's checkpoint of step note.step its best one, once it is written.
  void keep_best(const BestNote& note);

  // Whether nothing is being written, waiting at most this long. Throws what the write threw.
  bool idle(std::chrono::milliseconds patience);
  // What was written since the last call, once. REQUIRES: idle.
  std::optional<Written> take_written();

 private:
  struct Job {  // shared with the thread
    CheckpointDirectory folder;
    StateLayout layout;
    std::function<void()> before_rename;
    CheckpointHeader header{};
    StateArrays arrays{};
    std::optional<Written> written{};
  };
  static void write(Job& job);

  std::shared_ptr<Job> job_;
  WorkerThread thread_;
  std::uint64_t last_ = 0;
};

}  // namespace lockstep
