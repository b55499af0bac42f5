#include "data/arrays/block_cache.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "support/check_error.h"

namespace lockstep {
namespace {

// Fills a block with its number.
void load_number(std::int64_t block, std::vector<std::byte>& bytes) { bytes.assign(3, static_cast<std::byte>(block)); }

int number_in(BlockCache& cache, std::int64_t block) {
  const BlockCache::Pin pin = cache.get(block);
  return pin.bytes().size() == 3 ? std::to_integer<int>(pin.bytes()[2]) : -1;
}

}  // namespace

TEST_CASE("what is kept is not loaded again, and the block used longest ago goes") {
  BlockCache cache(10, 3, load_number);
  for (const std::int64_t block : {1, 2, 3, 1, 2, 3}) CHECK(number_in(cache, block) == block);
  CHECK(cache.loads() == 3);
  number_in(cache, 1);
  number_in(cache, 4);  // replaces 2
  CHECK(cache.loads() == 4);
  for (const std::int64_t block : {1, 3, 4}) CHECK(number_in(cache, block) == block);
  CHECK(cache.loads() == 4);
  CHECK(number_in(cache, 2) == 2);
  CHECK(cache.loads() == 5);
}

TEST_CASE("a pinned block stays where it is") {
  BlockCache cache(10, 2, load_number);
  const BlockCache::Pin pin = cache.get(7);
  const std::byte* const place = pin.bytes().data();
  for (const std::int64_t block : {1, 2, 3, 4}) CHECK(number_in(cache, block) == block);
  CHECK(pin.bytes().data() == place);
  CHECK(std::to_integer<int>(pin.bytes()[0]) == 7);
  CHECK(number_in(cache, 7) == 7);
  CHECK(cache.loads() == 5);
}

TEST_CASE("memory is used again") {
  BlockCache cache(10, 1, load_number);
  const std::byte* const place = cache.get(0).bytes().data();
  for (std::int64_t block = 1; block < 10; ++block) CHECK(cache.get(block).bytes().data() == place);
}

TEST_CASE("a load that fails is reported to the caller, and tried again by the next") {
  int times = 0;
  BlockCache cache(10, 2, [&](std::int64_t block, std::vector<std::byte>& bytes) {
    if (block == 5 && ++times < 3) throw Error(ExitCode::bad_data, "block 5 is bad");
    load_number(block, bytes);
  });
  CHECK(number_in(cache, 1) == 1);
  for (int i = 0; i < 2; ++i) check_error(ExitCode::bad_data, {"block 5 is bad"}, [&] { cache.get(5); });
  CHECK(number_in(cache, 5) == 5);
  CHECK(number_in(cache, 1) == 1);
  CHECK(times == 3);
}

TEST_CASE("threads that want one block load it once; more threads than room get through") {
  for (const std::int64_t capacity : {1, 2, 64}) {
    CAPTURE(capacity);
    BlockCache cache(50, capacity, load_number);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        for (std::int64_t i = 0; i < 2000; ++i) wrong += number_in(cache, i * i % 50) == i * i % 50 ? 0 : 1;
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    if (capacity >= 50) CHECK(cache.loads() == 22);  // squares modulo 50: 2 modulo 2, 11 modulo 25
  }
}

TEST_CASE("no such block, no room at all") {
  CHECK_THROWS(BlockCache(10, 0, load_number));
  BlockCache cache(10, 2, load_number);
  CHECK_THROWS(cache.get(10));
}

}  // namespace lockstep
