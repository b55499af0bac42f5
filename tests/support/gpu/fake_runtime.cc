#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "support/gpu/fake_gpu.h"
#include "support/gpu/fake_graph.h"
#include "support/gpu/fake_stream.h"
#include "support/gpu/stream_thread.h"
#include "tensor/cuda/gpu_runtime.h"
#include "tensor/device_error.h"

namespace lockstep {
namespace gpu_stand_in {
namespace {

thread_local int selected = 0;

// Guards the CaptureMoments of streams and events, and the captures. Locked before any other mutex.
std::mutex captures;

struct Allocation {
  std::size_t bytes = 0;
  int gpu = 0;
};

constexpr int kCuda = 13000;

// The machine's GPUs, as seen by the driver.
struct Machine {
  std::mutex mutex;
  int driver = kCuda;
  int gpus = 1;
  std::size_t memory = std::size_t{1} << 30;
  bool bfloat16 = true;
  std::map<void*, Allocation> allocations;
  std::map<void*, std::size_t> pinned;  // bytes
  std::map<FakeStream*, std::shared_ptr<FakeStream>> streams;
  std::atomic<bool> lost = false;
  std::atomic<std::int64_t> launched = 0;  // graphs

  std::size_t in_use(int gpu) const {
    std::size_t bytes = 0;
    for (const auto& [data, allocation] : allocations) bytes += allocation.gpu == gpu ? allocation.bytes : 0;
    return bytes;
  }
};
Machine machine;

FakeStream& of(GpuStream stream) { return *static_cast<FakeStream*>(stream.handle); }
// Shared with work under way: an event may be destroyed before it has passed.
const std::shared_ptr<FakeEvent>& of(Event event) { return *static_cast<std::shared_ptr<FakeEvent>*>(event.handle); }
// Shared with launches of the graph.
std::shared_ptr<const FakeGraph>& of(GpuGraph graph) {
  return *static_cast<std::shared_ptr<const FakeGraph>*>(graph.handle);
}

void check_gpus() {
  if (machine.lost) {
    throw DeviceError("the GPU is lost (cudaErrorDeviceUnavailable: CUDA-capable device(s) is/are busy)");
  }
}

void check_stream(GpuStream stream) {
  check_gpus();
  if (const std::exception_ptr failure = of(stream).take_failure()) std::rethrow_exception(failure);
}

// Refuses an operation that a capture does not allow, which also invalidates the capture.
[[noreturn]] void break_rule(Capture& capture, const std::string& name, const std::string& text) {
  capture.invalidate(text);
  refuse(name, text);
}

// Refuses the host's waits for, and queries of, a captured event. REQUIRES: captures is locked.
void check_for_host(const FakeEvent& event) {
  if (event.captured.capture == nullptr) return;
  break_rule(*event.captured.capture, "CapturedEvent",
             "operation not permitted on an event last recorded in a capturing stream");
}

bool is_within(const void* memory, const void* first, std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(first);
  return begin <= memory && memory < begin + bytes;
}

// Returns whether a graph's copies may use the memory: it belongs to a GPU, or is pinned.
bool is_locked(const void* memory) {
  const std::lock_guard lock(machine.mutex);
  return std::ranges::any_of(machine.allocations,
                             [&](const auto& each) { return is_within(memory, each.first, each.second.bytes); }) ||
         std::ranges::any_of(machine.pinned,
                             [&](const auto& each) { return is_within(memory, each.first, each.second); });
}

// CUDA does not check this, but the graph that this thread is capturing may use the memory.
void check_free(const void* memory) {
  const std::lock_guard lock(captures);
  const std::lock_guard machine_lock(machine.mutex);
  for (const auto& [handle, stream] : machine.streams) {
    const auto& capture = stream->captured.capture;
    if (capture != nullptr && capture->thread() == std::this_thread::get_id()) {
      capture->invalidate(fmt::format("memory at {} is freed, which the graph may use", memory));
    }
  }
}

// Waiting for all work of a GPU invalidates the captures of its streams, whichever thread waits.
void check_nobody_captures(int gpu) {
  const std::lock_guard lock(captures);
  const std::lock_guard machine_lock(machine.mutex);
  for (const auto& [handle, stream] : machine.streams) {
    if (stream->captured.capture == nullptr || stream->gpu() != gpu) continue;
    stream->captured.capture->invalidate("the GPU is waited for");
  }
}

std::vector<std::shared_ptr<FakeStream>> streams_of(int gpu) {
  const std::lock_guard lock(machine.mutex);
  std::vector<std::shared_ptr<FakeStream>> streams;
  streams.reserve(machine.streams.size());
  for (const auto& [handle, stream] : machine.streams) {
    if (stream->gpu() == gpu) streams.push_back(stream);
  }
  return streams;
}

int gpu_that_has(void* memory) {
  const std::lock_guard lock(machine.mutex);
  return machine.allocations.at(memory).gpu;
}

}  // namespace

void have_gpus(int count, std::size_t memory) {
  const std::lock_guard lock(machine.mutex);
  machine.gpus = count;
  machine.memory = memory;
}

void have_driver(int version) {
  const std::lock_guard lock(machine.mutex);
  machine.driver = version;
}

void have_bfloat16(bool has) {
  const std::lock_guard lock(machine.mutex);
  machine.bfloat16 = has;
}

void lose_gpus() { machine.lost = true; }
void find_gpus_again() { machine.lost = false; }

std::size_t memory_in_use() {
  const std::lock_guard lock(machine.mutex);
  std::size_t bytes = 0;
  for (const auto& [data, allocation] : machine.allocations) bytes += allocation.bytes;
  return bytes;
}

std::int64_t graphs_launched() { return machine.launched; }

void submit(GpuStream stream, std::function<void()> work) {
  check_stream(stream);
  const std::lock_guard lock(captures);
  if (CaptureMoment& captured = of(stream).captured; captured.capture != nullptr) {
    return captured.capture->add(std::move(work), captured.after);
  }
  of(stream).submit(std::move(work));
}

int selected_gpu() { return selected; }

}  // namespace gpu_stand_in

using namespace gpu_stand_in;  // NOLINT(google-build-using-namespace): this file is its runtime

int count_gpus(std::string& why) {
  const std::lock_guard lock(machine.mutex);
  if (machine.driver < kCuda) {
    why = "CUDA driver version is insufficient for CUDA runtime version";
    return 0;
  }
  if (machine.gpus == 0) why = "no CUDA-capable device is detected";
  return machine.gpus;
}

GpuDescription describe_gpu(int index) {
  return {.name = "Fake GPU",
          .bus_id = fmt::format("0000:{:02x}:00.0", index + 1),
          .memory = machine.memory,
          .multiprocessors = 2,
          .bfloat16 = machine.bfloat16};
}

void select_gpu(int index) {
  check_gpus();
  LS_CHECK(0 <= index && index < machine.gpus, "a GPU that there is not");
  selected = index;
}

GpuMemory gpu_memory() {
  const std::lock_guard lock(machine.mutex);
  return {.free = machine.memory - machine.in_use(selected), .total = machine.memory};
}

void* allocate_on_gpu(std::size_t bytes) {
  check_gpus();
  const std::lock_guard lock(machine.mutex);
  if (bytes > machine.memory - machine.in_use(selected)) return nullptr;
  constexpr std::size_t kAlignment = 256;
  void* const data = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (data == nullptr) return nullptr;
  constexpr int kPoison = 0xff;  // NaN, as float or double
  std::memset(data, kPoison, bytes);
  machine.allocations[data] = {.bytes = bytes, .gpu = selected};
  return data;
}

void free_on_gpu(void* memory) noexcept {
  check_free(memory);
  for (const auto& stream : streams_of(gpu_that_has(memory))) stream->synchronize();
  const std::lock_guard lock(machine.mutex);
  machine.allocations.erase(memory);
  std::free(memory);
}

void* allocate_pinned(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  void* const data = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
  const std::lock_guard lock(machine.mutex);
  if (data != nullptr) machine.pinned[data] = bytes;
  return data;
}
void free_pinned(void* memory) noexcept {
  check_nobody_captures(selected);
  for (const auto& stream : streams_of(selected)) stream->synchronize();
  const std::lock_guard lock(machine.mutex);
  machine.pinned.erase(memory);
  std::free(memory);
}

GpuStream create_stream() {
  check_gpus();
  const auto stream = std::make_shared<FakeStream>(selected);
  const std::lock_guard lock(machine.mutex);
  machine.streams.emplace(stream.get(), stream);
  return {stream.get()};
}

void destroy_stream(GpuStream stream) noexcept {
  std::shared_ptr<FakeStream> last;  // outlives the lock: its destructor waits for its work
  const std::lock_guard lock(machine.mutex);
  const auto found = machine.streams.find(&of(stream));
  last = std::move(found->second);
  machine.streams.erase(found);
}

void synchronize_stream(GpuStream stream) {
  {
    const std::lock_guard lock(captures);
    if (const auto& capture = of(stream).captured.capture; capture != nullptr) {
      break_rule(*capture, "StreamCaptureUnsupported", "operation not permitted when stream is capturing");
    }
  }
  of(stream).synchronize();
  check_stream(stream);
}

Event create_event() { return {new std::shared_ptr<FakeEvent>(std::make_shared<FakeEvent>())}; }
void destroy_event(Event event) noexcept { delete &of(event); }

void record_event(Event event, GpuStream stream) {
  check_stream(stream);
  const std::lock_guard lock(captures);
  FakeStream& own = of(stream);
  of(event)->captured = own.captured;
  if (own.captured.capture != nullptr) return own.captured.capture->check();
  own.submit([passed = of(event), number = of(event)->record()] { passed->pass(number); });
}

void wait_for_event(GpuStream stream, Event event) {
  check_stream(stream);
  const std::lock_guard lock(captures);
  CaptureMoment& own = of(stream).captured;
  const CaptureMoment& other = of(event)->captured;
  if (other.capture != nullptr && other.capture->ended()) check_for_host(*of(event));
  if (own.capture == nullptr && other.capture == nullptr) {
    return of(stream).submit([awaited = of(event), number = of(event)->last()] { awaited->wait(number); });
  }
  if (other.capture == nullptr) {
    break_rule(*own.capture, "StreamCaptureIsolation", "dependency created on uncaptured work in another stream");
  }
  other.capture->check();
  if (own.capture != nullptr && own.capture != other.capture) {
    other.capture->invalidate("merged with another capture");
    break_rule(*own.capture, "StreamCaptureMerge", "operation would result in a merge of separate capture sequences");
  }
  own.capture = other.capture;
  own.join(other);
}

void synchronize_event(Event event) {
  {
    const std::lock_guard lock(captures);
    check_for_host(*of(event));
  }
  of(event)->wait(of(event)->last());
  check_gpus();
}

bool has_passed(Event event) {
  check_gpus();
  FakeEvent& own = *of(event);
  const std::lock_guard capture_lock(captures);
  check_for_host(own);
  const std::lock_guard lock(own.mutex);
  return own.passed >= own.recorded;
}

void copy_on_stream(void* to, const void* from, std::size_t bytes, GpuStream stream) {
  if (is_capturing(stream) && !(is_locked(to) && is_locked(from))) {
    const std::lock_guard lock(captures);
    break_rule(*of(stream).captured.capture, "StreamCaptureUnsupported",
               "operation not permitted when stream is capturing: a copy of memory that is not pinned");
  }
  submit(stream, [=] { std::memmove(to, from, bytes); });
}

void zero_on_stream(void* memory, std::size_t bytes, GpuStream stream) {
  submit(stream, [=] { std::memset(memory, 0, bytes); });
}

void begin_capture(GpuStream stream) {
  check_stream(stream);
  const std::lock_guard lock(captures);
  CaptureMoment& captured = of(stream).captured;
  if (captured.capture != nullptr) break_rule(*captured.capture, "IllegalState", "the stream is capturing already");
  captured.capture = std::make_shared<Capture>(stream.handle);
}

bool is_capturing(GpuStream stream) {
  const std::lock_guard lock(captures);
  return of(stream).captured.capture != nullptr;
}

GpuGraph end_capture(GpuStream stream, GpuGraph last) {
  const std::lock_guard lock(captures);
  const CaptureMoment captured = of(stream).captured;
  if (captured.capture == nullptr || captured.capture->origin() != stream.handle) {
    refuse("StreamCaptureUnmatched", "capture was not ended in the same stream as it began");
  }
  captured.capture->end();
  {
    const std::lock_guard machine_lock(machine.mutex);
    for (const auto& [handle, other] : machine.streams) {
      if (other->captured.capture == captured.capture) other->captured = {};
    }
  }
  std::shared_ptr<const FakeGraph> graph = captured.capture->take_graph(captured.after);
  check_gpus();
  if (last.handle == nullptr || !of(last)->has_shape_of(*graph)) {
    return {new std::shared_ptr<const FakeGraph>(std::move(graph))};
  }
  of(last) = std::move(graph);
  return last;
}

void drop_capture(GpuStream stream) noexcept {
  try {
    destroy_graph(end_capture(stream, {}));
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): of a capture that nobody wants
  }
}

void launch_graph(GpuGraph graph, GpuStream stream) {
  submit(stream, [own = of(graph)] { own->run(); });
  ++machine.launched;
}

void destroy_graph(GpuGraph graph) noexcept { delete &of(graph); }

GpuVersions gpu_versions() { return {.runtime = kCuda, .driver = machine.driver}; }

}  // namespace lockstep
