#include "data/arrays/packed_chunk.h"

#include <doctest/doctest.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/idx_files.h"

namespace lockstep {
namespace {

using Filters = std::vector<ChunkFilter>;
constexpr ChunkFilter kDeflate = ChunkFilter::deflate;
constexpr ChunkFilter kShuffle = ChunkFilter::shuffle;
constexpr ChunkFilter kFletcher = ChunkFilter::fletcher32;

std::optional<std::string> fault(const Filters& filters, const Bytes& stored, std::uint64_t bytes,
                                 std::uint32_t skipped = 0) {
  return packed_chunk_fault(filters, skipped, std::as_bytes(std::span(stored)), bytes);
}

bool sound(const Filters& filters, const Bytes& stored, std::uint64_t bytes, std::uint32_t skipped = 0) {
  return !fault(filters, stored, bytes, skipped).has_value();
}

void check_fault(const std::optional<std::string>& found, const std::string& part) {
  REQUIRE(found.has_value());
  CAPTURE(*found);
  CHECK(found->find(part) != std::string::npos);
}

Bytes with_checksum(const Bytes& bytes) { return joined(bytes, Bytes(4)); }

}  // namespace

TEST_CASE("a chunk that unpacks to its size has no fault, whatever the filters and their order") {
  const Bytes values(105, 7);
  const Bytes small = zlib_packed(values);
  CHECK(sound({}, values, 105));
  CHECK(sound({kShuffle}, values, 105));
  CHECK(sound({kFletcher}, with_checksum(values), 105));
  CHECK(sound({kDeflate}, small, 105));
  CHECK(sound({kShuffle, kDeflate, kFletcher}, with_checksum(small), 105));
  CHECK(sound({kFletcher, kShuffle, kDeflate}, zlib_packed(with_checksum(values)), 105));
}

TEST_CASE("filters that a chunk went without are left out") {
  const Bytes values(105, 7);
  CHECK(sound({kDeflate}, values, 105, 1));
  CHECK(sound({kShuffle, kDeflate, kFletcher}, with_checksum(values), 105, 2));
  CHECK(sound({kShuffle, kDeflate, kFletcher}, zlib_packed(values), 105, 4));
  check_fault(fault({kDeflate}, zlib_packed(values), 105, 1), "not 105");
  check_fault(fault({kDeflate}, values, 105, 2), "cannot be unpacked");
}

TEST_CASE("a byte too few or too many is found") {
  constexpr std::size_t kSizes[] = {0, 1, 10, 104, 106, 210, 100'000};
  for (const std::size_t size : kSizes) {
    CAPTURE(size);
    CHECK_FALSE(sound({}, Bytes(size), 105));
    CHECK_FALSE(sound({kShuffle}, Bytes(size), 105));
    CHECK_FALSE(sound({kFletcher}, Bytes(size), 105));
    check_fault(fault({kDeflate}, zlib_packed(Bytes(size)), 105), "unpacks to");
  }
  check_fault(fault({kFletcher}, Bytes(105), 105), "has 105 bytes in the file, not 109");
  check_fault(fault({kDeflate}, zlib_packed(Bytes(104)), 105), "unpacks to 104 bytes, not to its 105");
}

TEST_CASE("packed data that are cut off anywhere, or damaged") {
  const Bytes small = zlib_packed(Bytes(105, 7));
  for (std::size_t size = 1; size < small.size(); ++size) {
    CAPTURE(size);
    check_fault(fault({kDeflate}, cut(small, size), 105), "is cut off");
  }
  check_fault(fault({kDeflate, kFletcher}, Bytes(4), 105), "too few");
  check_fault(fault({kDeflate}, flipped(small, 0), 105), "cannot be unpacked (zlib: ");
  check_fault(fault({kDeflate}, flipped(small, small.size() - 1), 105), "incorrect data check");
}

TEST_CASE("what unpacks to far more is not unpacked further, and large chunks go through in pieces") {
  const Bytes large = zlib_packed(Bytes(50'000'000));
  check_fault(fault({kDeflate}, large, 105), "unpacks to more than its 105 bytes");
  CHECK(sound({kDeflate}, large, 50'000'000));
}

TEST_CASE("zlib makes no more of a chunk than is allowed for") {
  Bytes noise(100'003);
  std::uint32_t state = 1;
  for (std::uint8_t& byte : noise) byte = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  const Bytes packed_noise = zlib_packed(noise);
  CHECK(packed_noise.size() > noise.size());
  CHECK(packed_noise.size() <= most_packed_bytes(Filters{kDeflate}, noise.size()));
  CHECK(most_packed_bytes(Filters{kDeflate}, noise.size()) < 2 * noise.size());
}

}  // namespace lockstep
