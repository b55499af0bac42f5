#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ps/client.h"
#include "ps/stop_request.h"
#include "train/strategy/replica.h"
#include "train/strategy/strategy.h"
#include "train/strategy/strategy_kind.h"

namespace lockstep {

// The parameter servers of a job, as a rank that trains has them.
struct ServerAccess {
  ParameterClient& client;
  DType wire_dtype = DType::float32;  // PsGroup::wire_dtype
  std::string description{};          // for the start-up lines
  bool is_chief = false;              // the client is client 0, which alone fetches the servers' state
  PsStopSignal stop_signal{};         // of the other clients; the chief answers its own requests by itself
};

// The registry entry of --strategy=parameter_server: what a rank that trains does with parameter servers. For each of
// its steps it takes the values from the servers and brings them a gradient, by which they update. Steps are handed
// out, each to one rank, so ranks of any speed make every step once. A gradient may be of older values than those that
// it updates (--max_staleness). With --overlap=thread a second thread moves it to the servers while this rank computes
// the next one.
//
// StrategyParts::communicator is this rank's alone: nothing here is COLLECTIVE, and no rank waits for another, but for
// the servers. A meeting is a state of all servers after the same updates, which the chief fetches into its replica;
// the others never meet. The servers' first state is the chief's replica at its first step or meeting.
// StrategyParts::average is part of the state.
StrategyKind parameter_server_strategy();

}  // namespace lockstep
