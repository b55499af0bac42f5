#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "collective/communicator.h"
#include "train/config/result_config.h"
#include "train/config/settings.h"
#include "train/config/training_rank.h"
#include "train/registry/registry.h"

namespace lockstep {

// Returns the communicator that sums gradients: the one named by --collective. auto takes that of the checkpoint the
// run resumes from, if that was saved by as many ranks and sums the same way on these ranks' hosts; otherwise the
// table's choice for these ranks. If the two differ, a line says so. If the checkpoint's communicator sums in the
// hosts' memory and NCCL can sum for these ranks now, auto takes nccl. For a strategy with one copy of the values, the
// communicator has memory for that copy. The ranks are those of the compute group.
//
// saved: the configuration in that checkpoint, which is named `file`; null if there is none. COLLECTIVE over the world.
// Throws Error(configuration) if --collective or the strategy asks for something that the ranks cannot have; for a
// --collective_table, missing_input on the chief if it cannot be read, or bad_data on all ranks if it is no table.
std::unique_ptr<Communicator> connect_gradients(const TrainSettings& settings, const Registry& registry,
                                                const TrainingRank& rank, const SavedConfig* saved,
                                                const std::string& file);

// Sizes in bytes of a model's arrays that lie in a communicator's memory.
struct CommunicatorArrays {
  std::vector<std::size_t> of_each_rank{};  // each rank's own, in the memory of Communicator::allocator()
  std::size_t of_all = 0;                   // one copy for all ranks, in Communicator::common_memory(); 0: none
};

// Makes sure that these arrays fit side by side into the communicator's memory; otherwise replaces the communicator by
// mpi, and logs that. Throws Error(configuration) or OutOfMemory instead if --collective names the communicator or the
// strategy needs it. COLLECTIVE over the compute group.
void make_room(std::unique_ptr<Communicator>& gradients, const CommunicatorArrays& arrays,
               const TrainSettings& settings, const Registry& registry, const TrainingRank& rank);

// Accepts that auto uses another communicator than the checkpoint's run, which had as many ranks but on other hosts or
// devices: puts the present summation into `saved`. The chief warns that sums round differently from here on, as they
// would on another number of ranks.
void accept_other_hosts(SavedConfig& saved, const std::string& file, const std::string& summation,
                        const TrainSettings& settings, const Registry& registry, const TrainingRank& rank);

}  // namespace lockstep
