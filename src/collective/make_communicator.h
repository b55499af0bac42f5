#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/trace.h"
#include "collective/communicator.h"
#include "tensor/backend.h"

namespace lockstep {

class MpiSession;
struct CollectiveTable;
struct NcclModule;

// NCCL's communicator (collective/nccl/nccl_module.h); null in a build without NCCL. Loads liblockstep_cuda: call it
// only if there is a GPU.
const NcclModule* nccl_of_this_build();

// The world's communicator, with plain blocking calls: over MPI, or of this process alone (session is null) if it was
// started without. Session and Trace must outlive it. COLLECTIVE.
std::unique_ptr<Communicator> make_world(MpiSession* session, Trace& trace);

// Inputs of a communicator for gradients. All of them are the caller's and outlive the communicator.
struct CommunicatorParts {
  Communicator& group;           // the ranks to join, in its order; its plain calls serve to agree and swap addresses
  MpiSession* session;           // null in a world without MPI
  Trace& trace;                  // place for marks of its operations: Trace::begin
  Backend& backend;              // the backend of the tensors to sum
  Overlap overlap;               // the user's choice; a communicator whose operations never block may ignore it
  std::int64_t bytes = 4 << 20;  // size of most sums: a bucket's
  DType dtype = DType::float32;  // type of their values
  const CollectiveTable* table = nullptr;         // choices of auto; null: default_collective_table()
  std::function<void(const std::string&)> say{};  // tells the user something, on every rank; null: not wanted
  std::string device_id{};                        // the PCI bus id of the backend's GPU on its host
  const NcclModule* (*nccl)() = nccl_of_this_build;
};

// Makes a communicator, named in Registry::communicators and chosen by --collective. COLLECTIVE over the group. Throws
// Error(configuration) of every rank if it cannot work. While the communicator has operations under way, the caller
// calls nothing else that communicates.
using CommunicatorFactory = std::function<std::unique_ptr<Communicator>(const CommunicatorParts&)>;

// The communicators that Lockstep brings with it. auto: the one that choose_collective() names or, if the ranks cannot
// have that, which it says, the next best. mpi: MPI's own sums. shm: memory that the ranks of one host share. ring:
// sums of our own over MPI's messages, or on GPUs NCCL by rings only. hierarchical: shm on each host, and such sums
// between hosts. self: none, for a single rank. nccl: NCCL on GPUs, as it chooses. On GPUs all but NCCL sum in the
// hosts' memory (collective/host_staged_communicator.h).
std::unique_ptr<Communicator> connect_auto(const CommunicatorParts& parts);
std::unique_ptr<Communicator> connect_mpi(const CommunicatorParts& parts);
std::unique_ptr<Communicator> connect_shm(const CommunicatorParts& parts);
std::unique_ptr<Communicator> connect_hierarchical(const CommunicatorParts& parts);
std::unique_ptr<Communicator> connect_self(const CommunicatorParts& parts);
std::unique_ptr<Communicator> connect_nccl(const CommunicatorParts& parts);
std::unique_ptr<Communicator> connect_ring(const CommunicatorParts& parts);

// connect_shm() for callers that need memory of which all ranks have one copy (Communicator::common_memory()). Throws
// Error(configuration) of every rank with the bare reason: "the ranks are on several hosts (a and b)". COLLECTIVE over
// the group.
std::unique_ptr<Communicator> connect_with_common_memory(const CommunicatorParts& parts);

// The best collective for these ranks: "nccl" if each of several has a GPU of its own and the same NCCL, else the
// table's choice for their hosts: "mpi", "shm", "ring" or "hierarchical"; without MPI the group's own name. COLLECTIVE
// over the group.
std::string choose_collective(const CommunicatorParts& parts);

// Adapts a blocking communicator to the overlap: leaves it as it is, or gives it a thread of its own.
std::unique_ptr<Communicator> overlapped(std::unique_ptr<Communicator> communicator, Overlap overlap);

// The libraries of this build, for --version: "Open MPI 4.1.4, NCCL 2.28.9" or "..., no nccl". Works before MPI_Init.
std::string communicator_features();

}  // namespace lockstep
