#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tensor/cuda/gpu_runtime.h"
#include "tensor/tensor.h"

// The calls of NCCL that Lockstep makes, and no others. Filled by NCCL (nccl_calls.cc) and, for tests on machines
// without a GPU, by threads and the heap (tests/support/gpu/fake_nccl.cc); CMake chooses which.
//
// No call waits for other ranks. One of a communicator may return while its work is still being prepared: then the
// communicator is not settled, and until it is, nothing but nccl_settled() and abort_nccl() may be called. Calls work
// on the device that this thread has selected, and throw an internal Error with NCCL's own text of what went wrong,
// unless they say otherwise. A communicator takes one call at a time, from any thread.
namespace lockstep {

struct NcclId {
  std::array<char, 128> bytes{};
};

// One rank's end of a communicator.
struct NcclComm {
  void* handle = nullptr;
};

// The registration of a piece of memory with a communicator. NCCL writes to this struct until the communicator has
// settled.
struct NcclRegistration {
  void* window = nullptr;  // one of the two is set, or neither: both only make NCCL faster
  void* handle = nullptr;
};

int compiled_nccl_version();  // version, 22809 for 2.28.9; makes no call of NCCL
int loaded_nccl_version();

// Makes NCCL use rings for everything, in communicators made from here on. Returns "" or, if the user has set NCCL_ALGO
// to something else, why it has not.
const char* pin_nccl_ring();

NcclId make_nccl_id();
NcclComm join_nccl(const NcclId& id, int ranks, int rank);
// Returns whether all calls so far have been prepared. Throws what has gone wrong in them, or in an operation under
// way.
bool nccl_settled(NcclComm comm);
// Finalizes comm on the good path, COLLECTIVE: once comm has settled, it can be destroyed.
void finalize_nccl(NcclComm comm);
void destroy_nccl(NcclComm comm);
// Ends the operations under way on this GPU, whose results are then undefined, and waits until no graph has any of the
// communicator's. Local, in place of finalize and destroy, also while a call is being prepared.
void abort_nccl(NcclComm comm) noexcept;

// Operations on the stream, in place. Between begin and end they are one: NCCL may run them at the same time.
void begin_nccl_group();
void end_nccl_group(NcclComm comm);
void drop_nccl_group() noexcept;  // ends a group in which a call has failed
void nccl_all_reduce(const Tensor& values, NcclComm comm, GpuStream stream);
void nccl_reduce(const Tensor& values, int root, NcclComm comm, GpuStream stream);
void nccl_broadcast(const Tensor& values, int root, NcclComm comm, GpuStream stream);
// values: `ranks` slices of equal length, of which the rank'th is this rank's.
void nccl_reduce_scatter(const Tensor& values, int rank, int ranks, NcclComm comm, GpuStream stream);
void nccl_all_gather(const Tensor& values, int rank, int ranks, NcclComm comm, GpuStream stream);

// Memory of the GPU that NCCL reads and writes without a copy of its own; null if there is not enough, or the GPU
// cannot have such memory. Contents undefined. bytes > 0.
void* allocate_for_nccl(std::size_t bytes);
// Frees memory of allocate_for_nccl(), after waiting for all work of the device.
void free_for_nccl(void* memory) noexcept;
// Registration, COLLECTIVE: begin_registration() tries a window; complete_registration(), when the communicator has
// settled, registers memory that has not got one as a plain buffer.
void begin_registration(NcclRegistration& registration, void* memory, std::size_t bytes, NcclComm comm);
void complete_registration(NcclRegistration& registration, void* memory, std::size_t bytes, NcclComm comm);
void end_registration(const NcclRegistration& registration, NcclComm comm) noexcept;

}  // namespace lockstep
