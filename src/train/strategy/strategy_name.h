#pragma once

#include <optional>
#include <string>

#include "base/table.h"
#include "train/strategy/strategy_kind.h"

namespace lockstep {

// How far a job reaches.
struct JobReach {
  int ranks = 1;  // that train
  int hosts = 1;
};

// The name in the table of what --strategy=text asks for: a name of the table, or one of tf.distribute. Throws Error of
// every rank: usage if nothing is called so; configuration for a strategy that is not there yet, and for a name that
// promises less than the job is, as MirroredStrategy on two hosts. flag: how messages call it, "--strategy=text".
std::string strategy_called(const std::string& text, const std::string& flag, const Table<StrategyKind>& strategies,
                            const JobReach& job);

// The same without a refusal: nothing if it is no such name. "parameter_server" is one also before there is one.
std::optional<std::string> strategy_meant(const std::string& text, const Table<StrategyKind>& strategies);

}  // namespace lockstep
