#include <cuda_runtime_api.h>

#include <array>
#include <memory>
#include <type_traits>

#include "tensor/cuda/cuda_check.h"
#include "tensor/cuda/gpu_runtime.h"

namespace lockstep {
namespace {

cudaStream_t handle(GpuStream stream) { return static_cast<cudaStream_t>(stream.handle); }
cudaEvent_t handle(Event event) { return static_cast<cudaEvent_t>(event.handle); }
cudaGraphExec_t handle(GpuGraph graph) { return static_cast<cudaGraphExec_t>(graph.handle); }

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
};
using CapturedGraph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyGraph>;

// Returns whether the graph was updated to do what was captured.
bool updated(GpuGraph graph, const CapturedGraph& captured) {
  if (graph.handle == nullptr) return false;
  cudaGraphExecUpdateResultInfo result{};
  const cudaError_t status = cudaGraphExecUpdate(handle(graph), captured.get(), &result);
  if (status == cudaErrorGraphExecUpdateFailure) {
    cudaGetLastError();  // or the next call would report it
    return false;
  }
  check_cuda(status, LS_HERE("cudaGraphExecUpdate"));
  return true;
}

void* or_null(cudaError_t status, void* memory, Where where) {
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // or the next call would report it
    return nullptr;
  }
  check_cuda(status, where);
  return memory;
}

}  // namespace

int count_gpus(std::string& why) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess) return count;
  cudaGetLastError();
  why = cudaGetErrorString(status);
  return 0;
}

GpuDescription describe_gpu(int index) {
  cudaDeviceProp properties{};
  LS_CUDA(cudaGetDeviceProperties(&properties, index));
  std::array<char, 32> bus_id{};
  LS_CUDA(cudaDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), index));
  return {.name = properties.name,
          .bus_id = bus_id.data(),
          .memory = properties.totalGlobalMem,
          .multiprocessors = properties.multiProcessorCount,
          .bfloat16 = properties.major >= 8};
}

void select_gpu(int index) { LS_CUDA(cudaSetDevice(index)); }

GpuMemory gpu_memory() {
  GpuMemory memory;
  LS_CUDA(cudaMemGetInfo(&memory.free, &memory.total));
  return memory;
}

void* allocate_on_gpu(std::size_t bytes) {
  void* memory = nullptr;
  return or_null(cudaMalloc(&memory, bytes), memory, LS_HERE("cudaMalloc"));
}

// Ignores the status of a free: it is the one of earlier work, which has its own check.
void free_on_gpu(void* memory) noexcept { cudaFree(memory); }

void* allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
  return or_null(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable), memory, LS_HERE("cudaHostAlloc"));
}

void free_pinned(void* memory) noexcept {
  cudaDeviceSynchronize();
  cudaFreeHost(memory);
}

// Makes it independent of CUDA's default stream, so that others' work in this process never holds a step up.
GpuStream create_stream() {
  cudaStream_t stream = nullptr;
  LS_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return {stream};
}

void destroy_stream(GpuStream stream) noexcept { cudaStreamDestroy(handle(stream)); }

void synchronize_stream(GpuStream stream) { LS_CUDA(cudaStreamSynchronize(handle(stream))); }

Event create_event() {
  cudaEvent_t event = nullptr;
  LS_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return {event};
}

void destroy_event(Event event) noexcept { cudaEventDestroy(handle(event)); }

void record_event(Event event, GpuStream stream) { LS_CUDA(cudaEventRecord(handle(event), handle(stream))); }

void wait_for_event(GpuStream stream, Event event) { LS_CUDA(cudaStreamWaitEvent(handle(stream), handle(event), 0)); }

void synchronize_event(Event event) { LS_CUDA(cudaEventSynchronize(handle(event))); }

bool has_passed(Event event) {
  const cudaError_t status = cudaEventQuery(handle(event));
  if (status == cudaErrorNotReady) return false;
  check_cuda(status, LS_HERE("cudaEventQuery"));
  return true;
}

void copy_on_stream(void* to, const void* from, std::size_t bytes, GpuStream stream) {
  LS_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, handle(stream)));
}

void zero_on_stream(void* memory, std::size_t bytes, GpuStream stream) {
  LS_CUDA(cudaMemsetAsync(memory, 0, bytes, handle(stream)));
}

// Relaxed: the thread may allocate meanwhile, CUDA's libraries may load kernels when they are first used, and other
// threads may query events and wait for streams of their own.
void begin_capture(GpuStream stream) { LS_CUDA(cudaStreamBeginCapture(handle(stream), cudaStreamCaptureModeRelaxed)); }

bool is_capturing(GpuStream stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  LS_CUDA(cudaStreamIsCapturing(handle(stream), &status));
  return status != cudaStreamCaptureStatusNone;
}

GpuGraph end_capture(GpuStream stream, GpuGraph last) {
  cudaGraph_t graph = nullptr;
  const cudaError_t status = cudaStreamEndCapture(handle(stream), &graph);
  const CapturedGraph captured(graph);
  check_cuda(status, LS_HERE("cudaStreamEndCapture"));
  if (updated(last, captured)) return last;
  cudaGraphExec_t made = nullptr;
  LS_CUDA(cudaGraphInstantiate(&made, captured.get(), 0));
  return {made};
}

// Ignores the status: it is that of the dropped capture.
void drop_capture(GpuStream stream) noexcept {
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(handle(stream), &graph);
  cudaGetLastError();
  if (graph != nullptr) cudaGraphDestroy(graph);
}

void launch_graph(GpuGraph graph, GpuStream stream) { LS_CUDA(cudaGraphLaunch(handle(graph), handle(stream))); }

void destroy_graph(GpuGraph graph) noexcept { cudaGraphExecDestroy(handle(graph)); }

GpuVersions gpu_versions() {
  GpuVersions versions;
  LS_CUDA(cudaRuntimeGetVersion(&versions.runtime));
  LS_CUDA(cudaDriverGetVersion(&versions.driver));
  return versions;
}

}  // namespace lockstep
