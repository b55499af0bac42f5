#include "train/state/parameter_digest.h"

#include <doctest/doctest.h>

#include <cstring>

#include "base/sha256.h"
#include "support/ranks.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

TEST_CASE("the digest is over name, NUL and values of each variable, without padding") {
  ParameterTable table;
  table.add("a", {3}, true);
  table.add("b/c", {2}, false);
  HostAllocator allocator;
  const auto backend = make_cpu_backend();
  const ParameterStore parameters(table, allocator, allocator, DType::float32);
  backend->fill(parameters.values(), 9);  // padding, too, which must not count
  const std::vector<float> a{1, 2, 3};
  const std::vector<float> b{-1, 0.5F};
  std::copy(a.begin(), a.end(), parameters.value(0).as<float>());
  std::copy(b.begin(), b.end(), parameters.value(1).as<float>());

  std::string bytes = "a";
  bytes.push_back('\0');
  bytes.append(reinterpret_cast<const char*>(a.data()), 12);
  bytes.append("b/c");
  bytes.push_back('\0');
  bytes.append(reinterpret_cast<const char*>(b.data()), 8);
  Sha256 sha;
  sha.update(std::as_bytes(std::span(bytes)));
  CHECK(parameter_digest(*backend, parameters) == hex(sha.finish()));
}

TEST_CASE("a replica that drifted is named") {
  for_ranks([](Communicator& world) {
    ParameterTable table;
    table.add("a", {3}, true);
    HostAllocator allocator;
    const auto backend = make_cpu_backend();
    const ParameterStore parameters(table, allocator, allocator, DType::float32);
    CHECK(agreed_parameter_digest(world, *backend, parameters).size() == 64);
    if (world.rank() == 2) parameters.value(0).as<float>()[1] = 1e-30F;
    if (world.size() < 3) return;
    CHECK_THROWS_WITH_AS(agreed_parameter_digest(world, *backend, parameters),
                         doctest::Contains("the parameters of rank 2 differ"), Error);
  });
}

}  // namespace
}  // namespace lockstep
