#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "collective/communicator.h"
#include "tensor/backend.h"
#include "tensor/dtype.h"

namespace lockstep {

enum class NcclAlgorithm { any, ring };  // ring: rings for all operations and sizes

// Inputs of NCCL's communicator. All of them are the caller's and outlive the communicator.
struct NcclParts {
  Communicator& group;  // the ranks to join, each with a GPU of its own
  Trace& trace;
  Backend& backend;  // the backend of this rank's GPU
  NcclAlgorithm algorithm = NcclAlgorithm::any;
  std::function<void()> drive{};  // drives MPI while operations are under way (MpiSession::driver()); may be empty
  std::string hosts{};            // layout of its ranks on hosts: HostLayout::text()
  std::int64_t bytes = 0;         // size of a bucket, with which NCCL is tried out; 0: it is not tried out
  DType dtype = DType::float32;   // type of its values
};

// The part of NCCL that the module liblockstep_cuda shows to liblockstep: one constant object of this type, called
// kNcclModuleSymbol, if NCCL was there when it was built.
struct NcclModule {
  int compiled;     // version of NCCL that it was compiled for: 22809 is 2.28.9
  int (*loaded)();  // version of the library that it has found
  // NCCL's communicator (collective/nccl/nccl_communicator.h).
  std::unique_ptr<Communicator> (*make)(const NcclParts& parts);
};

inline constexpr char kNcclModuleSymbol[] = "lockstep_nccl_module";

}  // namespace lockstep
