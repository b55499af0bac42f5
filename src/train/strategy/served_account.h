#pragma once

#include "ps/account.h"
#include "train/strategy/strategy_account.h"

namespace lockstep {

// The account of a run with parameter servers: the steps of each rank that trains, how old gradients were, and how busy
// each server was. Pure.
StrategyAccount served_account(const PsAccount& account);

// Members of a train line between two accounts of a run: of the gradients that were added meanwhile their staleness,
// and what each server did; of the run so far the steps of each rank that trains. Empty if none were added. Pure.
Json::Object served_progress(const PsAccount& before, const PsAccount& now);

}  // namespace lockstep
