#include "collective/nccl/nccl_calls.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <nccl.h>
#include <strings.h>

#include <cstdlib>
#include <cstring>

#include "base/error.h"

namespace lockstep {
namespace {

ncclComm_t handle(NcclComm comm) { return static_cast<ncclComm_t>(comm.handle); }
cudaStream_t handle(GpuStream stream) { return static_cast<cudaStream_t>(stream.handle); }

// Throws if a call has failed; one that is still being prepared has not.
void check_nccl(ncclResult_t result, Where where, ncclComm_t comm = nullptr) {
  if (result == ncclSuccess || result == ncclInProgress) return;
  const char* const last = ncclGetLastError(comm);
  const bool says_more = last != nullptr && *last != '\0';
  fail(where, fmt::format("{}{}{}", ncclGetErrorString(result), says_more ? ": " : "", says_more ? last : ""));
}
#define LS_NCCL(call, comm) check_nccl((call), LS_HERE(#call), comm)

ncclDataType_t nccl_type(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return ncclFloat32;
    case DType::float64:
      return ncclFloat64;
    case DType::bfloat16:
      return ncclBfloat16;
    case DType::float16:
      return ncclFloat16;
    case DType::uint8:
      return ncclUint8;
    case DType::int32:
      return ncclInt32;
    case DType::int64:
      return ncclInt64;
  }
  throw Error(ExitCode::internal, "a type that NCCL does not know");
}

std::size_t count_of(const Tensor& values) { return static_cast<std::size_t>(values.count()); }

// Functions of NCCL 2.27 and later, looked up at run time: the library loaded may be older than the one compiled
// against.
struct Windows {
  using Add = ncclResult_t (*)(ncclComm_t, void*, std::size_t, void**, int);
  using Remove = ncclResult_t (*)(ncclComm_t, void*);
  Add add = reinterpret_cast<Add>(dlsym(RTLD_DEFAULT, "ncclCommWindowRegister"));
  Remove remove = reinterpret_cast<Remove>(dlsym(RTLD_DEFAULT, "ncclCommWindowDeregister"));
};
const Windows& windows() {
  static const Windows found;
  return found;
}

struct Slices {
  void* mine;
  std::size_t count;  // elements of each slice
};
Slices equal_parts(const Tensor& values, int rank, int ranks) {
  LS_CHECK(values.count() % ranks == 0, "slices of different lengths");
  const std::int64_t each = values.count() / ranks;
  return {values.flat({rank * each, (rank + 1) * each}).data(), static_cast<std::size_t>(each)};
}

}  // namespace

int compiled_nccl_version() { return NCCL_VERSION_CODE; }

int loaded_nccl_version() {
  int version = 0;
  LS_NCCL(ncclGetVersion(&version), nullptr);
  return version;
}

const char* pin_nccl_ring() {
  constexpr const char* kVariable = "NCCL_ALGO";
  constexpr const char* kRing = "Ring";
  const char* const before = std::getenv(kVariable);
  if (before != nullptr) return strcasecmp(before, kRing) == 0 ? "" : "NCCL_ALGO is set to another algorithm";
  setenv(kVariable, kRing, 1);
  return "";
}

NcclId make_nccl_id() {
  ncclUniqueId id{};
  LS_NCCL(ncclGetUniqueId(&id), nullptr);
  NcclId copy;
  static_assert(sizeof(copy.bytes) == sizeof(id.internal));
  std::memcpy(copy.bytes.data(), id.internal, sizeof(id.internal));
  return copy;
}

NcclComm join_nccl(const NcclId& id, int ranks, int rank) {
  ncclUniqueId copy{};
  std::memcpy(copy.internal, id.bytes.data(), sizeof(copy.internal));
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t comm = nullptr;
  LS_NCCL(ncclCommInitRankConfig(&comm, ranks, copy, rank, &config), nullptr);
  return {comm};
}

bool nccl_settled(NcclComm comm) {
  ncclResult_t state = ncclSuccess;
  LS_NCCL(ncclCommGetAsyncError(handle(comm), &state), handle(comm));
  check_nccl(state, LS_HERE("an operation of NCCL"), handle(comm));
  return state == ncclSuccess;
}

void finalize_nccl(NcclComm comm) { LS_NCCL(ncclCommFinalize(handle(comm)), handle(comm)); }
void destroy_nccl(NcclComm comm) { LS_NCCL(ncclCommDestroy(handle(comm)), nullptr); }
void abort_nccl(NcclComm comm) noexcept { ncclCommAbort(handle(comm)); }

void begin_nccl_group() { LS_NCCL(ncclGroupStart(), nullptr); }
void end_nccl_group(NcclComm comm) { LS_NCCL(ncclGroupEnd(), handle(comm)); }
void drop_nccl_group() noexcept { ncclGroupEnd(); }

void nccl_all_reduce(const Tensor& values, NcclComm comm, GpuStream stream) {
  LS_NCCL(ncclAllReduce(values.data(), values.data(), count_of(values), nccl_type(values.dtype()), ncclSum,
                        handle(comm), handle(stream)),
          handle(comm));
}

void nccl_reduce(const Tensor& values, int root, NcclComm comm, GpuStream stream) {
  LS_NCCL(ncclReduce(values.data(), values.data(), count_of(values), nccl_type(values.dtype()), ncclSum, root,
                     handle(comm), handle(stream)),
          handle(comm));
}

void nccl_broadcast(const Tensor& values, int root, NcclComm comm, GpuStream stream) {
  LS_NCCL(ncclBroadcast(values.data(), values.data(), count_of(values), nccl_type(values.dtype()), root, handle(comm),
                        handle(stream)),
          handle(comm));
}

void nccl_reduce_scatter(const Tensor& values, int rank, int ranks, NcclComm comm, GpuStream stream) {
  const Slices slices = equal_parts(values, rank, ranks);
  LS_NCCL(ncclReduceScatter(values.data(), slices.mine, slices.count, nccl_type(values.dtype()), ncclSum, handle(comm),
                            handle(stream)),
          handle(comm));
}

void nccl_all_gather(const Tensor& values, int rank, int ranks, NcclComm comm, GpuStream stream) {
  const Slices slices = equal_parts(values, rank, ranks);
  LS_NCCL(
      ncclAllGather(slices.mine, values.data(), slices.count, nccl_type(values.dtype()), handle(comm), handle(stream)),
      handle(comm));
}

void* allocate_for_nccl(std::size_t bytes) {
  void* memory = nullptr;
  if (ncclMemAlloc(&memory, bytes) == ncclSuccess) return memory;
  cudaGetLastError();  // or the next call of CUDA would report it
  return nullptr;
}

// NCCL unmaps the memory at once.
void free_for_nccl(void* memory) noexcept {
  cudaDeviceSynchronize();
  ncclMemFree(memory);
}

// A window lets the GPUs of one NVLink domain work on each other's memory (NCCL 2.27 and later). If they cannot, NCCL
// gives none, or a plain registration by that name (2.28), which it takes back as a window all the same.
void begin_registration(NcclRegistration& registration, void* memory, std::size_t bytes, NcclComm comm) {
  if (windows().add == nullptr) return;
  constexpr int kSymmetric = 1;  // NCCL_WIN_COLL_SYMMETRIC
  check_nccl(windows().add(handle(comm), memory, bytes, &registration.window, kSymmetric),
             LS_HERE("ncclCommWindowRegister"), handle(comm));
}

void complete_registration(NcclRegistration& registration, void* memory, std::size_t bytes, NcclComm comm) {
  if (registration.window != nullptr) return;
  LS_NCCL(ncclCommRegister(handle(comm), memory, bytes, &registration.handle), handle(comm));
}

// Ignores failures: the communicator of a failed call is about to go.
void end_registration(const NcclRegistration& registration, NcclComm comm) noexcept {
  if (registration.window != nullptr) windows().remove(handle(comm), registration.window);
  if (registration.handle != nullptr) ncclCommDeregister(handle(comm), registration.handle);
}

}  // namespace lockstep
