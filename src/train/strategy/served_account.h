#pragma once

#include "ps/account.h"
#include "train/strategy/strategy_account.h"

namespace lockstep {

// The account of a run with parameter servers: the steps of each rank that trains, how old gradients were, and how busy
// each server was. Pure.
StrategyAccount served_account(const PsAccount& account);

}  // namespace lockstep
