#include "collective/collective_table.h"

namespace lockstep {

// Of the form that fastest_collectives() gives, with borders where other machines may be expected to have them, too.
CollectiveTable default_collective_table() {
  return {.rows = {
              {.hosts = 1, .ranks_per_host = 2, .ranges = {{0, "shm"}}},
              // Eight ranks and more have few cores each, at worst: a small sum is done before all have had one.
              {.hosts = 1, .ranks_per_host = 8, .ranges = {{0, "mpi"}, {4 << 10, "shm"}}},
              {.hosts = 2, .ranks_per_host = 2, .ranges = {{0, "mpi"}, {1 << 20, "hierarchical"}}},
          }};
}

}  // namespace lockstep
