// Beyond 2^31 elements. It takes 4.3 GB, so it is run by itself (tests/collective/CMakeLists.txt), in a world of two.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>

#include "collective/backends.h"
#include "collective/slices.h"

namespace lockstep {
namespace {

constexpr std::int64_t kCount = (std::int64_t{1} << 31) + 5;
constexpr std::int64_t kMemory = 2 * kCount + (std::int64_t{1} << 30);

// The number behind `key` in a file of the system; `otherwise` where there is none ("max", no such file).
std::int64_t number_in(const std::string& file, const std::string& key, std::int64_t otherwise) {
  std::ifstream in(file);
  std::string word;
  while (!key.empty() && in >> word && word != key) continue;
  std::int64_t number = 0;
  return in >> number ? number : otherwise;
}

// Bytes that this host and this cgroup have left.
std::int64_t memory_left() {
  const std::int64_t most = std::int64_t{1} << 50;
  const std::int64_t host = number_in("/proc/meminfo", "MemAvailable:", most >> 10) << 10;
  const std::int64_t cgroup =
      number_in("/sys/fs/cgroup/memory.max", "", most) - number_in("/sys/fs/cgroup/memory.current", "", 0);
  return std::min(host, cgroup);
}

// Differs between neighbours and between elements that are 2^8, 2^16 or 2^31 apart; loops over it vectorise.
std::uint8_t pattern(std::int64_t i) { return static_cast<std::uint8_t>(i ^ (i >> 7) ^ (i >> 15) ^ (i >> 29)); }

std::int64_t wrong(const std::uint8_t* values, FlatRange range, std::uint8_t factor) {
  std::int64_t wrong = 0;
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    wrong += values[i] != static_cast<std::uint8_t>(factor * pattern(i)) ? 1 : 0;
  }
  return wrong;
}

void check_large(Communicator& communicator) {
  const auto rank = static_cast<std::size_t>(communicator.rank());
  const auto memory = std::make_unique_for_overwrite<std::uint8_t[]>(kCount);
  std::uint8_t* const values = memory.get();
  const auto factor = static_cast<std::uint8_t>(rank + 1);
  for (std::int64_t i = 0; i < kCount; ++i) values[i] = static_cast<std::uint8_t>(factor * pattern(i));
  const Tensor tensor(values, DType::uint8, {kCount});
  communicator.wait(communicator.all_reduce(tensor));
  CHECK(wrong(values, {0, kCount}, 3) == 0);

  const std::vector<FlatRange> slices = equal_slices(kCount, communicator.size());
  std::fill(values + slices[1 - rank].begin, values + slices[1 - rank].end, std::uint8_t{0});
  communicator.wait(communicator.all_gather(tensor, slices));
  CHECK(wrong(values, {0, kCount}, 3) == 0);
}

void check_backends(RankContext& context) {
  const std::vector<std::int64_t> left = all_gather_value(context.communicator, memory_left());
  if (*std::ranges::min_element(left) < kMemory) {
    MESSAGE("skipped: it needs " << kMemory << " bytes of memory, and there are " << left[0]);
    return;
  }
  for (const CollectiveBackend& backend : kCollectiveBackends) {
    const auto communicator = backend.make(context.communicator, context);
    if (communicator == nullptr) continue;
    CAPTURE(backend.name);
    check_large(*communicator);
    communicator->close();
  }
}

}  // namespace

TEST_CASE("beyond 2^31 elements" * doctest::skip()) {
  for_rank_contexts([](RankContext& context) {
    if (context.communicator.size() == 2) check_backends(context);
  });
}

}  // namespace lockstep
