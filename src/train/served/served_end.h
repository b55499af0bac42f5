#pragma once

#include "base/exit_code.h"
#include "collective/messages.h"
#include "train/config/training_rank.h"

namespace lockstep {

// The end of a run with parameter servers, the same on every rank.
struct ServedEnd {
  ExitCode code = ExitCode::done;
  bool stopped = false;     // asked to stop before the last step
  bool lost_ranks = false;  // a rank has ended before: nothing that is COLLECTIVE may follow
};

// The chief tells the other ranks how the run ends, without waiting for any that was lost. They wait for this message.
// The chief sends it after all of them have left, so the wait is as short as a collective's, and is watched like one.
void give_end(Messages& messages, const ServedEnd& end, const TrainingRank& rank);
ServedEnd await_end(Messages& messages, const TrainingRank& rank);

}  // namespace lockstep
