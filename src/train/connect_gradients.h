#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "collective/communicator.h"
#include "train/config/result_config.h"
#include "train/config/settings.h"
#include "train/config/training_rank.h"
#include "train/registry.h"

namespace lockstep {

// The communicator that gradients are summed over: the one of --collective. auto is the one of the checkpoint that the
// run resumes from, if that comes from as many ranks and sums the same way on these ranks' hosts, else what the table
// has for them; where these differ, a line says so. If that one is of the hosts' memory, and NCCL can sum for these
// ranks now, it is nccl. For a strategy with one copy of the values it is one with memory
// for that. The ranks are those of the compute group.
//
// saved: null, or what that checkpoint, of the name `file`, holds. COLLECTIVE over the world. Throws
// Error(configuration) where --collective names what the ranks cannot have, or the strategy needs it; of a
// --collective_table, the chief throws missing_input and all ranks bad_data.
std::unique_ptr<Communicator> connect_gradients(const TrainSettings& settings, const Registry& registry,
                                                const TrainingRank& rank, const SavedConfig* saved,
                                                const std::string& file);

// The arrays of a model that lie in a communicator's memory, bytes each.
struct CommunicatorArrays {
  std::vector<std::size_t> of_each_rank{};  // in Communicator::allocator()'s
  std::size_t of_all = 0;                   // in Communicator::common_memory(); 0: nothing does
};

// Makes sure that these arrays have room in the communicator's memory, side by side, or makes it mpi, which a line
// says. Throws Error(configuration) if --collective names it, or the strategy needs it. COLLECTIVE over the compute
// group.
void make_room(std::unique_ptr<Communicator>& gradients, const CommunicatorArrays& arrays,
               const TrainSettings& settings, const Registry& registry, const TrainingRank& rank);

// Where auto has another one than the checkpoint's run, of as many ranks but on other hosts or devices: says that sums
// round differently from here on, as they would on another number of ranks, and lets it pass. summation: the present
// one.
void accept_other_hosts(SavedConfig& saved, const std::string& file, const std::string& summation,
                        const TrainSettings& settings, const Registry& registry, const TrainingRank& rank);

}  // namespace lockstep
