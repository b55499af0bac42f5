#include "ps/key_ranges.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

#include "support/check_error.h"

using namespace lockstep;

namespace {

ParameterTable table_of(const std::vector<std::int64_t>& sizes) {
  ParameterTable table;
  for (std::size_t at = 0; at < sizes.size(); ++at) table.add("v" + std::to_string(at), {sizes[at]}, true);
  return table;
}

void check_cover(const ParameterTable& table, const std::vector<FlatRange>& ranges, int servers) {
  REQUIRE(std::ssize(ranges) == servers);
  std::int64_t end = 0;
  for (const FlatRange& range : ranges) {
    CHECK(range.begin == end);
    CHECK(range.end > range.begin);
    end = range.end;
  }
  CHECK(end == table.padded_count());
}

// The difference of the largest and the smallest range.
std::int64_t spread(const std::vector<FlatRange>& ranges) {
  const auto [least, most] = std::ranges::minmax_element(ranges, {}, &FlatRange::count);
  return most->count() - least->count();
}

std::int64_t padded(std::int64_t size) { return (size + 15) / 16 * 16; }

}  // namespace

TEST_CASE("ranges of a sliceable optimizer differ by one alignment unit at most") {
  const ParameterTable table = table_of({1, 17, 1000, 333});  // 16 + 32 + 1008 + 336 = 87 * 16
  for (const int servers : {1, 2, 3, 5, 86, 87}) {
    CAPTURE(servers);
    const auto ranges = key_ranges(table, true, servers);
    check_cover(table, ranges, servers);
    for (const FlatRange& range : ranges) CHECK(range.begin % ParameterTable::kAlignment == 0);
    CHECK(spread(ranges) <= ParameterTable::kAlignment);
  }
}

TEST_CASE("ranges of whole variables are as even as their borders let them be") {
  using Ranges = std::vector<FlatRange>;
  CHECK(key_ranges(table_of({16, 16, 16, 16}), false, 2) == Ranges{{0, 32}, {32, 64}});
  CHECK(key_ranges(table_of({160, 16, 16, 16}), false, 2) == Ranges{{0, 160}, {160, 208}});
  CHECK(key_ranges(table_of({16, 16, 160}), false, 3) == Ranges{{0, 16}, {16, 32}, {32, 192}});
  CHECK(key_ranges(table_of({1, 1, 1}), false, 3) == Ranges{{0, 16}, {16, 32}, {32, 48}});
  CHECK(key_ranges(table_of({5, 7, 9}), false, 1) == Ranges{{0, 48}});
  // The borders nearest to a third and two thirds of 304 are both 144: one range would be empty.
  CHECK(key_ranges(table_of({144, 16, 144}), false, 3) == Ranges{{0, 144}, {144, 160}, {160, 304}});
}

TEST_CASE("ranges of whole variables differ by the largest variable at most, for any sizes") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; ++round) {
    CAPTURE(round);
    std::vector<std::int64_t> sizes(1 + random() % 20);
    const std::uint64_t largest = std::uint64_t{1} << (random() % 12);
    for (std::int64_t& size : sizes)
      size = static_cast<std::int64_t>(1 + random() % (random() % 4 == 0 ? 4096 : largest));
    const int servers = static_cast<int>(1 + random() % sizes.size());
    const ParameterTable table = table_of(sizes);
    const auto ranges = key_ranges(table, false, servers);
    check_cover(table, ranges, servers);
    for (const FlatRange& range : ranges) {
      CHECK((range.end == table.padded_count() || table.owner_of(range.end).range.begin == range.end));
    }
    CHECK(spread(ranges) <= padded(*std::ranges::max_element(sizes)));
  }
}

TEST_CASE("more servers than ranges are refused, with the number that is possible") {
  check_error(ExitCode::configuration, {"4 parameter servers", "at most 3", "--ps_replicas=3 or fewer"}, [] {
    key_ranges(table_of({100, 100, 100}), false, 4);
  });
  check_error(ExitCode::configuration, {"22 parameter servers", "at most 21", "--ps_replicas=21 or fewer"}, [] {
    key_ranges(table_of({100, 100, 100}), true, 22);
  });
  CHECK_NOTHROW(key_ranges(table_of({100, 100, 100}), true, 21));
}
