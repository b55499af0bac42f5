#include "collective/collective_table.h"

namespace lockstep {

// As fastest_collectives() of bench/collective's times gives it, rounded to what holds on each machine measured.
CollectiveTable default_collective_table() {
  return {.rows = {
              {.hosts = 1, .ranks_per_host = 2, .ranges = {{0, "shm"}}},
              // Eight ranks and more have few cores each, at worst: a small sum is done before all have had one.
              {.hosts = 1, .ranks_per_host = 8, .ranges = {{0, "mpi"}, {4 << 10, "shm"}}},
              {.hosts = 2, .ranks_per_host = 2, .ranges = {{0, "mpi"}, {64 << 10, "hierarchical"}}},
          }};
}

}  // namespace lockstep
