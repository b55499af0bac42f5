#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "ps/message.h"
#include "ps/sequencer.h"

namespace lockstep {

// The facts that a run's updates depend on: the first line of its update log.
struct UpdateLogHeader {
  SequencerOptions options;
  int servers = 1;
  std::uint64_t seed = 1;
  std::string batches{};  // a digest of the data and of how it is divided into batches

  bool operator==(const UpdateLogHeader&) const = default;
};

inline constexpr const char* kUpdateLogFormat = "lockstep update log";
inline constexpr int kUpdateLogVersion = 1;

// Writes the order of a run's updates as JSON, one object a line, for a Replay:
//   {"format":"lockstep update log","version":1,"clients":3,"servers":2,"max_staleness":4,"sum_updates":1,
//    "first_update":0,"last_update":100,"seed":"1","batches":"..."}     max_staleness is null if there is no bound
//   {"deliver":7,"client":2,"updates":5}                  batch 7 to client 2, with the values after 5 updates
//   {"add":7,"client":2,"weight":64.0,"factor":0.015625}  its gradient is added
//   {"update":6,"count":1,"factor":0.015625}              update 6, of the gradients added since update 5
// read_update_log() reads it back. One thread at a time.
class UpdateLog {
 public:
  using Write = std::function<void(std::string_view line)>;  // `line` ends with a line feed

  // Writes the first line.
  UpdateLog(const UpdateLogHeader& header, Write write);
  // Writes a line for a deliver, add or update; nothing for the other commands.
  void record(const PsMessage& command);

 private:
  Write write_;
};

}  // namespace lockstep
