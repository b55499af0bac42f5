#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/host_memory.h"
#include "ps/group.h"
#include "train/config/training_rank.h"

namespace lockstep {

// The memory of a parameter server, or of several, in bytes.
struct ServerMemory {
  std::int64_t values = 0;     // copies of them, and, if these are of 16 bits, the values themselves
  std::int64_t mailboxes = 0;  // for gradients, two of each client
  std::int64_t state = 0;      // the optimizer's, and the moving average and the sum of gradients if there are any
  std::int64_t cut = 0;        // a copy of values and state while they are on their way to the chief

  std::int64_t total() const { return values + mailboxes + state + cut; }
};

// Facts that decide the memory of servers besides their ranges.
struct ServerMemoryFacts {
  int copies = 2;          // of the values
  std::int64_t slots = 0;  // of the optimizer
  bool averages = false;   // there is a moving average of the values
  bool sums = false;       // an update is of a sum
  bool adds = false;       // clients add to one copy of the values: there are no others, and no mailboxes
};

// The memory of the servers with these numbers together. Pure.
ServerMemory server_memory(const PsGroup& group, const std::vector<int>& servers, const ServerMemoryFacts& facts);

// Says why the servers of a host cannot have their memory, and what helps; "" if they can. who: "2 parameter servers on
// a". impossible: against all that the host has; tight: against what is free now. Pure.
std::string impossible_servers(const std::string& who, const ServerMemory& need, const HostMemory& memory);
std::string tight_servers(const std::string& who, const ServerMemory& need, const HostMemory& memory);

// To be called before servers take memory: throws Error(configuration) of every rank if a host can never have it, and
// warns if it may not have it now. hosts: of each rank of the job. COLLECTIVE over its ranks.
void check_server_memory(const TrainingRank& rank, const PsGroup& group, const std::vector<std::string>& hosts,
                         const ServerMemoryFacts& facts);

}  // namespace lockstep
