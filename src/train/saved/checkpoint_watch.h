#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "checkpoint/decoder.h"
#include "checkpoint/directory.h"

namespace lockstep {

// Looks out for the checkpoints that a training run writes into a folder, which need not be there yet. It only reads,
// and takes what is damaged, of another step than its name says, or gone before it is opened for something that is not
// there. The chief's; main thread.
class CheckpointWatch {
 public:
  // wanted: whether a checkpoint of that step and checksum is one to look at.
  using Wanted = std::function<bool(std::int64_t step, std::uint64_t checksum)>;
  CheckpointWatch(std::string folder, Log& log, Wanted wanted);

  // The oldest one that is wanted, open; null if there is none now. Steps from 1 on.
  std::unique_ptr<CheckpointDecoder> next();
  // The steps that the run has saved, as its metrics.jsonl says, and removed, as it does with the oldest.
  std::vector<std::int64_t> removed() const;
  // Whether the folder has any checkpoint.
  bool begun() const;
  // Whether the run has finished, and next() has found nothing after it had.
  bool finished() const { return finished_; }

 private:
  struct Refused {
    std::uint64_t checksum = 0;  // of the file; 0 if its seal cannot be read
    std::string why{};
    bool operator==(const Refused&) const = default;
  };

  std::unique_ptr<CheckpointDecoder> open(std::int64_t step);
  bool run_has_finished() const;

  std::string folder_;
  CheckpointDirectory checkpoints_;
  Log& log_;
  Wanted wanted_;
  std::map<std::int64_t, Refused> refused_;  // by step: said once, and not read again
  bool finished_ = false;
};

}  // namespace lockstep
