#include "tensor/backend.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"

namespace lockstep {
namespace {

constexpr int kSkipped = 77;                                                 // SKIP_RETURN_CODE in CMakeLists.txt
constexpr std::int64_t kSizes[] = {1, 255, 256, 257, 1'000'003, 2'500'000};  // below, at and above a block; a full grid

// The first GPU, or the end of the whole binary as skipped; a failure where LOCKSTEP_EXPECT_GPU says that there is one.
std::unique_ptr<Backend> gpu() {
  try {
    return make_backend({Device::Kind::cuda, 0});
  } catch (const Error& error) {
    if (error.code() != ExitCode::configuration || std::getenv("LOCKSTEP_EXPECT_GPU") != nullptr) throw;
    std::printf("skipped: %s\n", error.what());
    std::exit(kSkipped);
  }
}

// Elements of type T in memory of the GPU.
template <class T>
struct OnGpu {
  OnGpu(Backend& gpu, std::int64_t count)
      : memory(gpu.allocator().allocate(static_cast<std::size_t>(count) * sizeof(T))),
        tensor(view(memory, dtype_of<T>(), {count})) {}
  Buffer memory;
  Tensor tensor;
};

template <class T>
Tensor on_host(std::vector<T>& values) {
  return {values.data(), dtype_of<T>(), {static_cast<std::int64_t>(values.size())}};
}

template <class T>
std::vector<T> read(Backend& gpu, const Tensor& tensor) {
  std::vector<T> values(static_cast<std::size_t>(tensor.count()), T{77});
  gpu.copy(tensor, on_host(values));
  gpu.synchronize();
  return values;
}

std::string message_of(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_CASE("memory of the GPU is zeroed, aligned and on the GPU") {
  const auto backend = gpu();
  for (std::int64_t count : kSizes) {
    const OnGpu<float> values(*backend, count);
    CHECK(reinterpret_cast<std::uintptr_t>(values.memory.data()) % 64 == 0);
    CHECK(values.tensor.device() == Device{Device::Kind::cuda, 0});
    CHECK(read<float>(*backend, values.tensor) == std::vector<float>(static_cast<std::size_t>(count), 0.0F));
    CHECK_THROWS_AS(values.tensor.as<float>(), Error);
  }
}

TEST_CASE("no memory at all is an error that names the size") {
  const auto backend = gpu();
  const std::string message = message_of([&] { backend->allocator().allocate(std::size_t{1} << 50); });
  CHECK(message.find("out of memory on cuda:0: 1073741824.0 MiB asked for") != std::string::npos);
  CHECK(read<float>(*backend, OnGpu<float>(*backend, 3).tensor) == std::vector<float>(3, 0.0F));  // and no after-effect
}

TEST_CASE("copies keep every element, from the host, within the GPU, and back") {
  const auto backend = gpu();
  for (std::int64_t count : kSizes) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), std::int64_t{-5});
    const OnGpu<std::int64_t> first(*backend, count);
    const OnGpu<std::int64_t> second(*backend, count);
    backend->copy(on_host(numbers), first.tensor);
    backend->copy(first.tensor, second.tensor);
    CHECK(read<std::int64_t>(*backend, second.tensor) == numbers);
  }
}

TEST_CASE_TEMPLATE("fill sets every element", T, float, double, std::int32_t, std::int64_t, std::uint8_t) {
  const auto backend = gpu();
  for (std::int64_t count : kSizes) {
    const OnGpu<T> values(*backend, count);
    backend->fill(values.tensor, 42);
    CHECK(read<T>(*backend, values.tensor) == std::vector<T>(static_cast<std::size_t>(count), T{42}));
  }
}

TEST_CASE("fill of nothing and copy of nothing do nothing") {
  const auto backend = gpu();
  const OnGpu<float> nothing(*backend, 0);
  backend->fill(nothing.tensor, 1);
  backend->copy(nothing.tensor, nothing.tensor);
  backend->synchronize();
}

TEST_CASE("events order a second backend's stream after the first") {
  const auto writer = gpu();
  const auto reader = gpu();
  const OnGpu<float> values(*writer, 2'500'000);
  const OnGpu<float> copied(*writer, 2'500'000);
  for (int round = 1; round <= 600; ++round) {  // more than twice the ring of events
    writer->fill(values.tensor, round);
    reader->wait(writer->record());
    reader->copy(values.tensor, copied.tensor);
    writer->wait(reader->record());
  }
  CHECK(read<float>(*reader, copied.tensor) == std::vector<float>(2'500'000, 600.0F));
  reader->wait({});  // passed already
}

TEST_CASE("a copy between unequal tensors, and a tensor of another device, are internal errors") {
  const auto backend = gpu();
  const OnGpu<float> three(*backend, 3);
  const OnGpu<float> four(*backend, 4);
  const OnGpu<std::int32_t> whole(*backend, 3);
  std::vector<float> host(3);
  CHECK_THROWS_AS(backend->copy(three.tensor, four.tensor), Error);
  CHECK_THROWS_AS(backend->copy(three.tensor, whole.tensor), Error);
  CHECK_THROWS_AS(backend->fill(on_host(host), 1), Error);
}

TEST_CASE("an operation that is not there names itself and the backend") {
  const auto backend = gpu();
  const OnGpu<float> values(*backend, 3);
  const std::string message = message_of([&] { backend->scale(values.tensor, 2); });
  CHECK(message.find("cuda") != std::string::npos);
  CHECK(message.find("'scale'") != std::string::npos);
}

}  // namespace
}  // namespace lockstep
