#include "data/device_batches.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "data/batch_buffer.h"
#include "data/prefetcher.h"
#include "data/problems.h"
#include "numbers_problem.h"
#include "support/check_error.h"
#include "support/gpu/fake_devices.h"
#include "support/gpu/fake_gpu.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

constexpr auto kReal = ProblemShape::Target::real;

template <class T>
std::vector<T> read(Backend& backend, const Tensor& tensor) {
  std::vector<T> host(static_cast<std::size_t>(tensor.count()));
  backend.copy(tensor, Tensor(host.data(), tensor.dtype(), tensor.shape()));
  backend.synchronize();
  return host;
}

template <class T>
bool same(Backend& backend, const Tensor& device, const Tensor& host) {
  if (host.data() == nullptr) return device.data() == nullptr;
  return device.device() == backend.device() && device.shape() == host.shape() &&
         std::ranges::equal(read<T>(backend, device), host.span<T>());
}

bool same(Backend& backend, const Batch& device, const Batch& host) {
  const bool symbols = host.inputs.dtype() == DType::int32;
  const bool labels = host.targets.dtype() == DType::int32;
  return (symbols ? same<std::int32_t>(backend, device.inputs, host.inputs)
                  : same<float>(backend, device.inputs, host.inputs)) &&
         (labels ? same<std::int32_t>(backend, device.targets, host.targets)
                 : same<float>(backend, device.targets, host.targets)) &&
         same<float>(backend, device.weights, host.weights) &&
         same<std::int64_t>(backend, device.row_ids, host.row_ids) &&
         same<std::int32_t>(backend, device.source, host.source) &&
         same<std::int64_t>(backend, device.source_ids, host.source_ids) &&
         std::ranges::equal(device.sequences, host.sequences) &&
         std::ranges::equal(device.source_positions, host.source_positions) && device.size() == host.size();
}

// Plans `batches` batches of 0 to 6 samples.
Prefetcher::Plan numbered(std::int64_t batches) {
  return [batches](std::int64_t n, PlannedBatch& batch) {
    batch.sample_ids.clear();
    for (std::int64_t i = 0; i < n * 3 % 7; ++i) batch.sample_ids.push_back(10 * n + i);
    return n < batches;
  };
}

// Compares the batches of a problem on a device with those on the host, one after the other.
void check_batches(const Problem& problem, std::int64_t capacity) {
  constexpr std::int64_t kBatches = 40;
  const auto backend = fake_devices().make(0);
  HostAllocator heap;
  BatchBuffer expected(problem.shape(), capacity, heap);
  Prefetcher prefetcher(problem, numbered(kBatches), backend->host_allocator(),
                        {.capacity = capacity, .depth = DeviceBatches::kHeld + 1});
  DeviceBatches batches(prefetcher, *backend);
  PlannedBatch planned;
  for (std::int64_t n = 0; n < kBatches; ++n) {
    numbered(kBatches)(n, planned);
    expected.fill(problem, Split::train, planned.sample_ids);
    REQUIRE(same(*backend, batches.next(), expected.batch()));
    batches.release();
  }
  CHECK(!batches.is_ready());
  check_error(ExitCode::internal, {"no more batches"}, [&] { batches.next(); });
}

}  // namespace

TEST_CASE("a device gets the batches that the host reads") {
  check_batches(NumbersProblem(ProblemShape::Target::class_label), 6);
  check_batches(NumbersProblem(kReal), 6);
  check_batches(*make_algorithmic("algorithmic_reverse_binary40", {}), 0);  // also has source sequences
}

TEST_CASE("work that has not come so far finds its batch, whatever the host reads meanwhile") {
  constexpr std::int64_t kBatches = 30;
  const NumbersProblem problem(kReal);
  const auto backend = fake_devices().make(0);
  Buffer memory = backend->allocator().allocate(kBatches * sizeof(float));
  const Tensor seen = view(memory, DType::float32, {kBatches});
  const auto one = [](std::int64_t n, PlannedBatch& batch) {
    batch.sample_ids.assign(1, n);
    return n < kBatches;
  };
  Prefetcher prefetcher(problem, one, backend->host_allocator(), {.capacity = 1, .depth = DeviceBatches::kHeld + 1});
  DeviceBatches batches(prefetcher, *backend);
  for (std::int64_t n = 0; n < kBatches; ++n) {  // the host does not wait
    const Batch& batch = batches.next();
    backend->copy(batch.targets.flat({0, 1}), seen.flat({n, n + 1}));
    batches.release();
  }
  const std::vector<float> numbers = read<float>(*backend, seen);
  for (std::size_t n = 0; n < numbers.size(); ++n) CHECK(numbers[n] == static_cast<float>(n));
}

TEST_CASE("a batch that cannot be read is an error where it is asked for") {
  const NumbersProblem problem(kReal, 20);
  const auto backend = fake_devices().make(0);
  Prefetcher prefetcher(problem, numbered(9), backend->host_allocator(),
                        {.capacity = 6, .depth = DeviceBatches::kHeld + 1});
  DeviceBatches batches(prefetcher, *backend);
  for (int n = 0; n < 2; ++n) {
    batches.next();
    batches.release();
  }
  check_error(ExitCode::bad_data, {"sample 20 is bad"}, [&] { batches.next(); });
}

TEST_CASE("on the CPU a batch is the host's own") {
  CpuBackend backend;
  HostAllocator heap;
  BatchBuffer buffer(NumbersProblem(kReal).shape(), 2, heap);
  DeviceBatch batch(backend);
  CHECK(&batch.take(buffer.batch()) == &buffer.batch());
}

TEST_CASE("nothing of the device is kept") {
  REQUIRE(gpu_stand_in::memory_in_use() == 0);
  check_batches(NumbersProblem(kReal), 6);
  CHECK(gpu_stand_in::memory_in_use() == 0);
}

}  // namespace lockstep
