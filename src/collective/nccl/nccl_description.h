#pragma once

#include <string>
#include <vector>

namespace lockstep {

// Facts about an NCCL communicator once it has the memory of a run.
struct NcclFacts {
  std::string name;                      // the communicator's, as in --collective
  int version = 0;                       // version of the library that was loaded: 22809 is 2.28.9
  std::string hosts{};                   // layout of its ranks on hosts: "2 + 2 ranks"
  int windows = 0;                       // pieces of memory that are registered as windows
  int buffers = 0;                       // pieces that are registered otherwise
  std::vector<std::string> variables{};  // variables of the environment that begin with NCCL_: "NCCL_ALGO=Ring"
};

// Text for the start-up lines: "nccl: NCCL 2.28.9, 2 + 2 ranks, memory registered as windows, NCCL_IB_HCA=mlx5", and
// how to see NCCL's choices, which no call of it tells. Variables that are empty are left out. Pure.
std::string describe(const NcclFacts& facts);

}  // namespace lockstep
