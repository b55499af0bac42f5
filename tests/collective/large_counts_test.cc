// Counts beyond 2^31 elements. It takes 4.3 GB, so it is run by itself (tests/collective/CMakeLists.txt), in a world of
// two.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <thread>

#include "collective/backends.h"
#include "collective/messages.h"
#include "collective/slices.h"

namespace lockstep {
namespace {

constexpr std::int64_t kCount = (std::int64_t{1} << 31) + 5;
constexpr std::int64_t kMemory = 2 * kCount + (std::int64_t{1} << 30);

// Returns the number after `key` in a system file; `otherwise` if there is none ("max", no such file).
std::int64_t number_in(const std::string& file, const std::string& key, std::int64_t otherwise) {
  std::ifstream in(file);
  std::string word;
  while (!key.empty() && in >> word && word != key) continue;
  std::int64_t number = 0;
  return in >> number ? number : otherwise;
}

constexpr std::int64_t kNoLimit = std::int64_t{1} << 50;

// Returns the bytes that a cgroup has left, from the files with its limit and its use.
std::int64_t left_of(const std::string& limit, const std::string& use) {
  return number_in(limit, "", kNoLimit) - number_in(use, "", 0);
}

// Returns the bytes that this host and this cgroup, of version 2 or 1, have left.
std::int64_t memory_left() {
  const std::string root = "/sys/fs/cgroup/";
  return std::min({number_in("/proc/meminfo", "MemAvailable:", kNoLimit >> 10) << 10,
                   left_of(root + "memory.max", root + "memory.current"),
                   left_of(root + "memory/memory.limit_in_bytes", root + "memory/memory.usage_in_bytes")});
}

// Blocks of one value each, so that they are written and compared at the speed of memory. Blocks 2^31 elements apart
// differ.
constexpr std::int64_t kBlock = 1 << 20;

std::uint8_t value_of(std::int64_t block, int factor) { return static_cast<std::uint8_t>(factor * (block % 251)); }

// Calls use(begin, count, value) for each block of a range.
template <class Use>
void for_blocks(FlatRange range, int factor, Use use) {
  for (std::int64_t begin = range.begin; begin < range.end;) {
    const std::int64_t end = std::min((begin / kBlock + 1) * kBlock, range.end);
    use(begin, static_cast<std::size_t>(end - begin), value_of(begin / kBlock, factor));
    begin = end;
  }
}

void fill(std::uint8_t* values, FlatRange range, int factor) {
  for_blocks(range, factor, [values](std::int64_t begin, std::size_t count, std::uint8_t value) {
    std::memset(values + begin, value, count);
  });
}

int wrong_blocks(const std::uint8_t* values, FlatRange range, int factor) {
  int wrong = 0;
  for_blocks(range, factor, [&](std::int64_t begin, std::size_t count, std::uint8_t value) {
    // All bytes are equal to the first one if each is equal to the one before.
    const bool right = values[begin] == value && std::memcmp(values + begin, values + begin + 1, count - 1) == 0;
    wrong += right ? 0 : 1;
  });
  return wrong;
}

void check_large(Communicator& communicator, std::uint8_t* values) {
  const FlatRange all{0, kCount};
  const Tensor tensor(values, DType::uint8, {kCount});
  fill(values, all, communicator.rank() + 1);
  communicator.wait(communicator.all_reduce(tensor));
  CHECK(wrong_blocks(values, all, 3) == 0);

  const std::vector<FlatRange> slices = equal_slices(kCount, communicator.size());
  fill(values, slices[static_cast<std::size_t>(communicator.rank())], 5);
  communicator.wait(communicator.all_gather(tensor, slices));
  CHECK(wrong_blocks(values, all, 5) == 0);
}

void check_large_message(RankContext& context, std::uint8_t* values) {
  const auto messages = make_messages(context);
  const FlatRange all{0, kCount};
  const std::span<std::byte> bytes(reinterpret_cast<std::byte*>(values), kCount);
  const bool sends = messages->rank() == 0;
  if (sends) fill(values, all, 11);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const auto wait_until = [end](const auto& condition) {
    while (!condition()) {
      REQUIRE(std::chrono::steady_clock::now() < end);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  if (!sends) {
    wait_until([&] { return messages->arrived_from(0, 0).has_value(); });
    CHECK(messages->arrived_from(0, 0)->bytes == kCount);
  }
  const Messages::Started started = sends ? messages->send(1, 0, bytes) : messages->receive(0, 0, bytes);
  wait_until([&] { return messages->done(started); });
  CHECK(wrong_blocks(values, all, 11) == 0);
  messages->close();
}

void check_backends(RankContext& context) {
  const std::vector<std::int64_t> left = all_gather_value(context.communicator, memory_left());
  if (*std::ranges::min_element(left) < kMemory) {
    MESSAGE("skipped: it needs " << kMemory << " bytes of memory, and there are " << left[0]);
    return;
  }
  const auto memory = std::make_unique_for_overwrite<std::uint8_t[]>(kCount);
  for (const CollectiveBackend& backend : kCollectiveBackends) {
    const auto communicator = backend.make(context.communicator, context);
    if (communicator == nullptr) continue;
    CAPTURE(backend.name);
    check_large(*communicator, memory.get());
    communicator->close();
  }
  check_large_message(context, memory.get());
}

}  // namespace

TEST_CASE("beyond 2^31 elements" * doctest::skip()) {
  for_rank_contexts([](RankContext& context) {
    if (context.communicator.size() == 2) check_backends(context);
  });
}

}  // namespace lockstep
