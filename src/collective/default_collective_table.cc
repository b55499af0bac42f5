#include "collective/collective_table.h"

namespace lockstep {

// The table has the form that fastest_collectives() gives, with borders moved to where other machines are likely to
// have them, too.
CollectiveTable default_collective_table() {
  return {.rows = {
              {.hosts = 1, .ranks_per_host = 2, .ranges = {{0, "shm"}}},
              // Eight ranks and more may share few cores: a small sum is done before all of them have had a core.
              {.hosts = 1, .ranks_per_host = 8, .ranges = {{0, "mpi"}, {4 << 10, "shm"}}},
              // From nine hosts on, nothing was measured.
              {.hosts = 2, .ranks_per_host = 1, .ranges = {{0, "mpi"}, {4 << 20, "ring"}}},
              {.hosts = 9, .ranks_per_host = 1, .ranges = {{0, "mpi"}}},
              {.hosts = 2, .ranks_per_host = 2, .ranges = {{0, "mpi"}, {1 << 20, "hierarchical"}}},
          }};
}

}  // namespace lockstep
