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

// The thread that turns a copy of the state into a checkpoint file while training continues. Used by the chief only,
// from the main thread. Values that are not finite are not a state to resume from: they give an Error(internal) instead
// of a file. idle() and the next write() throw that error, and those of the disk. The destructor waits for a second at
// most: a thread that hangs in a write is detached, with all that it works on.
class BackgroundWriter {
 public:
  struct Written {
    std::int64_t step = 0;
    std::size_t bytes = 0;
    double seconds = 0;  // time from the copy to the durable file
  };

  // before_rename: see replace_file; called on the writer's thread.
  BackgroundWriter(const CheckpointDirectory& folder, StateLayout layout, std::function<void()> before_rename);

  // The copy to fill. REQUIRES: idle.
  StateArrays& arrays() { return job_->arrays; }
  // Starts writing the copy. REQUIRES: idle.
  void write(const CheckpointHeader& header);
  // Makes the folder's checkpoint of step note.step its best one once it is written.
  void keep_best(const BestNote& note);

  // Returns whether nothing is being written, after waiting at most this long. Throws what the write threw.
  bool idle(std::chrono::milliseconds patience);
  // Takes the checkpoint that was written since the last call; nothing if none was. REQUIRES: idle.
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
