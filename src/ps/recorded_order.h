#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "ps/message.h"
#include "ps/pending_sum.h"
#include "ps/sequencer.h"
#include "ps/staleness_gate.h"

namespace lockstep {

// Checks that the commands of an update log are possible in their order, one after the other. Throws JsonError with the
// reason at the first that is not.
class RecordedOrder {
 public:
  explicit RecordedOrder(const SequencerOptions& options);

  void check(const PsMessage& command);  // of kind deliver, add or update
  void check_end() const;

 private:
  struct Pull {
    std::int64_t number = 0;  // the gate's
    std::int64_t batch = 0;
  };

  void deliver(const PsMessage& command);
  void add(const PsMessage& command);
  void update(const PsMessage& command);
  void check_none_missing() const;

  SequencerOptions options_;
  StalenessGate gate_;
  PendingSum sum_;
  std::int64_t updates_;
  std::map<int, std::vector<Pull>> pulls_;  // of each client, what it has and is not added yet, oldest first
  std::set<std::int64_t> batches_;          // all that were delivered
  bool ended_ = false;                      // there was a short update
};

}  // namespace lockstep
