#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "tensor/cuda/gpu_under_test.h"

namespace lockstep {
namespace {

constexpr std::int64_t kSizes[] = {1, 255, 256, 257, 100'003};  // below, at and above a block's size

std::string message_of(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

template <class T>
std::vector<T> read(Backend& backend, const Tensor& tensor) {
  Host<T> host(tensor.shape());
  backend.copy(tensor, host.tensor());
  backend.synchronize();
  return host.data;
}

TEST_CASE("memory of the GPU is zeroed, aligned and on the GPU") {
  const auto backend = gpu();
  for (std::int64_t count : kSizes) {
    const Buffer memory = backend->allocator().allocate(static_cast<std::size_t>(count) * sizeof(float));
    const Tensor values = view(memory, DType::float32, {count});
    CHECK(reinterpret_cast<std::uintptr_t>(memory.data()) % 64 == 0);
    CHECK(values.device() == Device{Device::Kind::cuda, 0});
    CHECK(read<float>(*backend, values) == std::vector<float>(static_cast<std::size_t>(count), 0.0F));
    CHECK_THROWS_AS(values.as<float>(), Error);
  }
}

TEST_CASE("no memory at all is an error that names the size, and what this rank holds") {
  const auto backend = gpu();
  const Buffer held = backend->allocator().allocate(std::size_t{3} << 20);
  const std::string message = message_of([&] { backend->allocator().allocate(std::size_t{1} << 50); });
  CHECK(message.find("out of memory on cuda:0: 1073741824.0 MiB asked for") != std::string::npos);
  CHECK(message.find("3.0 MiB held by this rank") != std::string::npos);
  CHECK(read<float>(*backend, view(held, DType::float32, {3})) == std::vector<float>(3, 0.0F));  // no effect remains
}

TEST_CASE("copies keep every element, from the host, within the GPU, and back") {
  const auto backend = gpu();
  for (std::int64_t count : kSizes) {
    Host<std::int64_t> numbers({count});
    std::iota(numbers.data.begin(), numbers.data.end(), std::int64_t{-5});
    const OnGpu<std::int64_t> first(*backend, numbers);
    const OnGpu<std::int64_t> second(*backend, Shape{count});
    backend->copy(first.tensor, second.tensor);
    CHECK(second.read() == numbers.data);
  }
}

TEST_CASE_TEMPLATE("fill sets every element", T, float, double, std::int32_t, std::int64_t, std::uint8_t) {
  on_gpu([](Backend& backend) {
    for (std::int64_t count : kSizes) {
      const OnGpu<T> values(backend, Shape{count});
      backend.fill(values.tensor, 42);
      CHECK(values.read() == std::vector<T>(static_cast<std::size_t>(count), T{42}));
    }
  });
}

TEST_CASE("fill of nothing and copy of nothing do nothing") {
  const auto backend = gpu();
  const OnGpu<float> nothing(*backend, Shape{0});
  backend->fill(nothing.tensor, 1);
  backend->copy(nothing.tensor, nothing.tensor);
  backend->synchronize();
}

TEST_CASE("events order a second backend's stream after the first") {
  const auto writer = gpu();
  const auto reader = gpu();
  const std::int64_t count = 5'000;
  const OnGpu<float> values(*writer, Shape{count});
  const OnGpu<float> copied(*writer, Shape{count});
  for (int round = 1; round <= 600; ++round) {  // more than twice the ring of events
    writer->fill(values.tensor, round);
    reader->wait(writer->record());
    reader->copy(values.tensor, copied.tensor);
    writer->wait(reader->record());
  }
  CHECK(read<float>(*reader, copied.tensor) == std::vector<float>(static_cast<std::size_t>(count), 600.0F));
  reader->wait({});  // it has already passed
}

TEST_CASE("a backend's libraries work on its own GPU, whichever was selected when it was made") {
  const auto backend = last_gpu();
  constexpr std::int64_t kLength = 1 << 16;  // sums that may be split, which needs the library's workspace
  const OnGpu<float> a(*backend, Host<float>::of({kLength, 8}, std::vector<float>(kLength * 8, 0.5F)));
  const OnGpu<float> b(*backend, Host<float>::of({kLength, 8}, std::vector<float>(kLength * 8, 0.25F)));
  const OnGpu<float> c(*backend, Shape{8, 8});
  backend->product(a.tensor, Transpose::yes, b.tensor, Transpose::no, c.tensor, Write::replace, {});
  CHECK(c.read() == std::vector<float>(64, kLength / 8.0F));
}

TEST_CASE("a copy between unequal tensors, and a tensor of another device, are internal errors") {
  const auto backend = gpu();
  const OnGpu<float> three(*backend, Shape{3});
  const OnGpu<float> four(*backend, Shape{4});
  const OnGpu<std::int32_t> whole(*backend, Shape{3});
  Host<float> host({3});
  CHECK_THROWS_AS(backend->copy(three.tensor, four.tensor), Error);
  CHECK_THROWS_AS(backend->copy(three.tensor, whole.tensor), Error);
  CHECK_THROWS_AS(backend->fill(host.tensor(), 1), Error);
}

}  // namespace
}  // namespace lockstep
