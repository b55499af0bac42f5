#pragma once

#include <cstddef>
#include <string>

#include "tensor/event.h"

// The calls of a GPU's runtime that Lockstep makes, and no others. Implemented by CUDA (cuda_runtime.cc) and, for tests
// on machines without a GPU, by threads and the heap (tests/support/gpu/fake_runtime.cc); CMake chooses which.
//
// A call works on the device that this thread has selected, which is remembered per thread, and throws a
// DeviceError with the runtime's own name and text of what went wrong, unless it says otherwise. Errors of work that a
// stream took earlier are thrown by whatever call comes next. Any thread may call.
namespace lockstep {

// Takes work in the order of the calls.
struct GpuStream {
  void* handle = nullptr;
};

// Work given to a stream, to be run as one piece.
struct GpuGraph {
  void* handle = nullptr;
};

struct GpuDescription {
  std::string name;         // "NVIDIA H100 80GB HBM3"
  std::string bus_id;       // PCI domain:bus:device.function, the same for each process that sees the device
  std::size_t memory = 0;   // bytes
  int multiprocessors = 0;  // number; at least as many blocks run at the same time
  bool bfloat16 = false;    // products of bfloat16 are faster than those of float32, and so are those by TF32
};

struct GpuMemory {
  std::size_t free = 0;  // bytes, for all processes on the device
  std::size_t total = 0;
};

// Number of devices that this process sees; 0 with the runtime's reason in `why` if it has one. Never throws.
int count_gpus(std::string& why);
GpuDescription describe_gpu(int index);
void select_gpu(int index);

GpuMemory gpu_memory();
// Memory aligned to 256 bytes, contents undefined; null if there is not enough. bytes > 0.
void* allocate_on_gpu(std::size_t bytes);
// Waits for all work of the device, as freeing memory that a stream may use must. The device need not be selected.
void free_on_gpu(void* memory) noexcept;
// Host memory that is copied without a detour, while the host goes on. Null if there is not enough.
void* allocate_pinned(std::size_t bytes);
// Waits for all work of the selected device, which may be copying to it. REQUIRES: no stream of it is capturing.
void free_pinned(void* memory) noexcept;

GpuStream create_stream();  // waits for no other stream
void destroy_stream(GpuStream stream) noexcept;
void synchronize_stream(GpuStream stream);
Event create_event();
void destroy_event(Event event) noexcept;
void record_event(Event event, GpuStream stream);
void wait_for_event(GpuStream stream, Event event);  // the stream's later work starts when the event has passed
void synchronize_event(Event event);                 // the host waits
bool has_passed(Event event);

// Copies between host and device, or within either; also to or from memory that is not pinned.
void copy_on_stream(void* to, const void* from, std::size_t bytes, GpuStream stream);
void zero_on_stream(void* memory, std::size_t bytes, GpuStream stream);

// From here to end_capture() work given to the stream does not run, but becomes part of a graph. So does work given to
// other streams from when they wait for an event recorded in it, until it has waited for all they were given. The host
// may not wait for these streams and events, or query them, and these streams may not wait for other events. Host
// memory that is copied is pinned. Memory may be allocated, streams be made and destroyed.
void begin_capture(GpuStream stream);
bool is_capturing(GpuStream stream);
// Returns the graph: `last`, updated, if the same operations with other arguments were captured, else a new one. The
// stream takes work as usual again, also if this throws.
GpuGraph end_capture(GpuStream stream, GpuGraph last);
void drop_capture(GpuStream stream) noexcept;
// The graph may be launched, changed and destroyed while it runs: that run goes on unchanged.
void launch_graph(GpuGraph graph, GpuStream stream);
void destroy_graph(GpuGraph graph) noexcept;

// CUDA's versions, as it numbers them: 13000 is 13.0.
struct GpuVersions {
  int runtime = 0;
  int driver = 0;  // the newest that the driver can run; 0: there is no driver
};
GpuVersions gpu_versions();

}  // namespace lockstep
