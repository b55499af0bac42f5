#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "support/gpu/fake_gpu.h"
#include "support/gpu/fake_stream.h"
#include "tensor/cuda/gpu_runtime.h"
#include "tensor/device_error.h"

namespace lockstep {
namespace gpu_stand_in {
namespace {

thread_local int selected = 0;

// A moment in a stream: how often it was recorded, and how many of these moments have passed.
struct FakeEvent {
  std::mutex mutex;
  std::condition_variable changed;
  std::int64_t recorded = 0;
  std::int64_t passed = 0;

  std::int64_t record() {
    const std::lock_guard lock(mutex);
    return ++recorded;
  }
  std::int64_t last() {
    const std::lock_guard lock(mutex);
    return recorded;
  }
  void pass(std::int64_t number) {
    const std::lock_guard lock(mutex);
    passed = std::max(passed, number);
    changed.notify_all();
  }
  void wait(std::int64_t number) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return passed >= number; });
  }
};

class FakeStream {
 public:
  explicit FakeStream(int gpu) : gpu_(gpu), thread_([this](const std::stop_token& stop) { run(stop); }) {}

  int gpu() const { return gpu_; }

  void submit(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
    ++submitted_;
    changed_.notify_all();
  }

  void synchronize() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&, until = submitted_] { return done_ >= until; });
  }

  // What work has thrown, once.
  std::exception_ptr take_failure() {
    const std::lock_guard lock(mutex_);
    return std::exchange(failure_, nullptr);
  }

 private:
  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return !queue_.empty(); })) {
      const std::function<void()> work = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      std::exception_ptr failure;
      try {
        work();
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (failure) failure_ = failure;
      ++done_;
      changed_.notify_all();
    }
  }

  int gpu_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> queue_;
  std::int64_t submitted_ = 0;
  std::int64_t done_ = 0;
  std::exception_ptr failure_;
  std::jthread thread_;  // last: it uses the others until it has ended
};

struct Allocation {
  std::size_t bytes = 0;
  int gpu = 0;
};

// The machine's GPUs, as the driver knows them.
struct Machine {
  std::mutex mutex;
  int gpus = 1;
  std::size_t memory = std::size_t{1} << 30;
  bool bfloat16 = true;
  std::map<void*, Allocation> allocations;
  std::map<FakeStream*, std::shared_ptr<FakeStream>> streams;
  std::atomic<bool> lost = false;

  std::size_t in_use(int gpu) const {
    std::size_t bytes = 0;
    for (const auto& [data, allocation] : allocations) bytes += allocation.gpu == gpu ? allocation.bytes : 0;
    return bytes;
  }
};
Machine machine;

FakeStream& of(GpuStream stream) { return *static_cast<FakeStream*>(stream.handle); }
// Shared with the work that is under way: an event may be destroyed before it has passed.
const std::shared_ptr<FakeEvent>& of(Event event) { return *static_cast<std::shared_ptr<FakeEvent>*>(event.handle); }

void check_gpus() {
  if (machine.lost) {
    throw DeviceError("the GPU is lost (cudaErrorDeviceUnavailable: CUDA-capable device(s) is/are busy)");
  }
}

void check_stream(GpuStream stream) {
  check_gpus();
  if (const std::exception_ptr failure = of(stream).take_failure()) std::rethrow_exception(failure);
}

// Of the GPU that has the memory.
std::vector<std::shared_ptr<FakeStream>> streams_beside(void* memory) {
  const std::lock_guard lock(machine.mutex);
  std::vector<std::shared_ptr<FakeStream>> streams;
  streams.reserve(machine.streams.size());
  for (const auto& [handle, stream] : machine.streams) {
    if (stream->gpu() == machine.allocations.at(memory).gpu) streams.push_back(stream);
  }
  return streams;
}

}  // namespace

void have_gpus(int count, std::size_t memory) {
  const std::lock_guard lock(machine.mutex);
  machine.gpus = count;
  machine.memory = memory;
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

void submit(GpuStream stream, std::function<void()> work) {
  check_stream(stream);
  of(stream).submit(std::move(work));
}

int selected_gpu() { return selected; }

}  // namespace gpu_stand_in

using namespace gpu_stand_in;  // NOLINT(google-build-using-namespace): this file is its runtime

int count_gpus(std::string& why) {
  const std::lock_guard lock(machine.mutex);
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
  for (const auto& stream : streams_beside(memory)) stream->synchronize();
  const std::lock_guard lock(machine.mutex);
  machine.allocations.erase(memory);
  std::free(memory);
}

void* allocate_pinned(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  return std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
}
void free_pinned(void* memory) noexcept { std::free(memory); }

GpuStream create_stream() {
  check_gpus();
  const auto stream = std::make_shared<FakeStream>(selected);
  const std::lock_guard lock(machine.mutex);
  machine.streams.emplace(stream.get(), stream);
  return {stream.get()};
}

void destroy_stream(GpuStream stream) noexcept {
  std::shared_ptr<FakeStream> last;  // outlives the lock: its end waits for its work
  const std::lock_guard lock(machine.mutex);
  const auto found = machine.streams.find(&of(stream));
  last = std::move(found->second);
  machine.streams.erase(found);
}

void synchronize_stream(GpuStream stream) {
  of(stream).synchronize();
  check_stream(stream);
}

Event create_event() { return {new std::shared_ptr<FakeEvent>(std::make_shared<FakeEvent>())}; }
void destroy_event(Event event) noexcept { delete &of(event); }

void record_event(Event event, GpuStream stream) {
  submit(stream, [own = of(event), number = of(event)->record()] { own->pass(number); });
}

void wait_for_event(GpuStream stream, Event event) {
  submit(stream, [own = of(event), number = of(event)->last()] { own->wait(number); });
}

void synchronize_event(Event event) {
  of(event)->wait(of(event)->last());
  check_gpus();
}

bool has_passed(Event event) {
  check_gpus();
  FakeEvent& own = *of(event);
  const std::lock_guard lock(own.mutex);
  return own.passed >= own.recorded;
}

void copy_on_stream(void* to, const void* from, std::size_t bytes, GpuStream stream) {
  submit(stream, [=] { std::memmove(to, from, bytes); });
}

void zero_on_stream(void* memory, std::size_t bytes, GpuStream stream) {
  submit(stream, [=] { std::memset(memory, 0, bytes); });
}

std::string gpu_runtime_version() { return "a fake GPU"; }

}  // namespace lockstep
