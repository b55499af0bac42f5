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

// Watches for the checkpoints that a training run writes into a folder, which need not exist yet. It only reads. A file
// that is damaged, of another step than its name says, or gone before it is opened counts as missing. The chief's; main
// thread.
class CheckpointWatch {
 public:
  // wanted: returns whether to evaluate a checkpoint of that step and checksum.
  using Wanted = std::function<bool(std::int64_t step, std::uint64_t checksum)>;
  CheckpointWatch(std::string folder, Log& log, Wanted wanted);

  // Opens the oldest checkpoint that is wanted, of step 1 or later; null if there is none now.
  std::unique_ptr<CheckpointDecoder> next();
  // The steps that the run has saved according to its metrics.jsonl, and has removed since, as it does with the oldest.
  std::vector<std::int64_t> removed() const;
  // Returns whether the folder has any checkpoint.
  bool begun() const;
  // Returns whether the run has finished, and next() has found nothing since then.
  bool finished() const { return finished_; }

 private:
  struct Refused {
    std::uint64_t checksum = 0;  // checksum of the file; 0 if its seal cannot be read
    std::string why{};
    bool operator==(const Refused&) const = default;
  };

  std::unique_ptr<CheckpointDecoder> open(std::int64_t step);
  bool run_has_finished() const;

  std::string folder_;
  CheckpointDirectory checkpoints_;
  Log& log_;
  Wanted wanted_;
  std::map<std::int64_t, Refused> refused_;  // files by step, which are reported once and not read again
  bool finished_ = false;
};

}  // namespace lockstep
