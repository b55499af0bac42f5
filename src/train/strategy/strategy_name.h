#pragma once

#include <optional>
#include <string>

#include "base/table.h"
#include "train/strategy/strategy_kind.h"

namespace lockstep {

// The size of a job.
struct JobReach {
  int ranks = 1;  // ranks that train
  int hosts = 1;
};

// The name in the table for --strategy=text: a name of the table, or one of tf.distribute. Throws Error of every rank:
// usage if there is no such name; configuration for a strategy of tf.distribute that does not exist here, and for a
// name that promises less than the job is, such as MirroredStrategy on two hosts. flag: its name in messages,
// "--strategy=text".
std::string strategy_called(const std::string& text, const std::string& flag, const Table<StrategyKind>& strategies,
                            const JobReach& job);

// The same without refusals: nothing if there is no such name.
std::optional<std::string> strategy_meant(const std::string& text, const Table<StrategyKind>& strategies);

}  // namespace lockstep
