#include "tensor/tensor.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace lockstep {

TEST_CASE("rows and flat ranges are views of the same memory") {
  std::vector<float> data(12);
  std::iota(data.begin(), data.end(), 0.0F);
  const Tensor tensor(data.data(), DType::float32, {4, 3});
  CHECK(tensor.rows(1, 3).shape() == Shape{2, 3});
  CHECK(tensor.rows(1, 3).as<float>()[0] == 3);
  CHECK(tensor.flat({5, 9}).span<float>().back() == 8);
  CHECK(tensor.reshaped({2, 6}).as<float>() == data.data());
  tensor.flat({11, 12}).as<float>()[0] = -1;
  CHECK(data[11] == -1);
}

TEST_CASE("a view outside, of another type or of a device's memory is refused") {
  std::vector<float> data(6);
  const Tensor tensor(data.data(), DType::float32, {2, 3});
  CHECK_THROWS_AS(tensor.rows(1, 3), Error);
  CHECK_THROWS_AS(tensor.flat({-1, 2}), Error);
  CHECK_THROWS_AS(tensor.reshaped({7}), Error);
  CHECK_THROWS_AS(tensor.as<double>(), Error);
  CHECK_THROWS_AS(Tensor(data.data(), DType::float32, {6}, {Device::Kind::cuda, 0}).as<float>(), Error);
}

TEST_CASE("the host's memory is zeroed and aligned, and a view of it must fit") {
  HostAllocator allocator;
  for (std::size_t bytes : {1UL, 63UL, 64UL, 1000UL}) {
    const Buffer buffer = allocator.allocate(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64 == 0);
    const auto* data = static_cast<const std::uint8_t*>(buffer.data());
    CHECK(std::accumulate(data, data + bytes, 0) == 0);
  }
  const Buffer buffer = allocator.allocate(16);
  CHECK(view(buffer, DType::float64, {2}).count() == 2);
  CHECK_THROWS_AS(view(buffer, DType::float64, {3}), Error);
}

TEST_CASE("memory that is not there is an error that says how much") {
  HostAllocator allocator;
  CHECK_THROWS_WITH_AS(static_cast<void>(allocator.allocate(std::size_t{1} << 62)), doctest::Contains("out of memory"),
                       Error);
}

}  // namespace lockstep
