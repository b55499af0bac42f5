#include "ps/key_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

#include "base/error.h"
#include "collective/slices.h"

namespace lockstep {
namespace {

// Places at which a range may begin or end: 0, each variable's end with its padding, the end of the store.
std::vector<std::int64_t> variable_borders(const ParameterTable& table) {
  std::vector<std::int64_t> borders{0};
  const int count = static_cast<int>(table.variables().size());
  for (int index = 0; index < count; ++index) {
    const std::int64_t end = table.padded(index, index + 1).end;
    if (end > borders.back()) borders.push_back(end);
  }
  return borders;
}

std::int64_t largest_step(std::span<const std::int64_t> borders) {
  std::int64_t largest = 0;
  for (std::size_t at = 1; at < borders.size(); ++at) largest = std::max(largest, borders[at] - borders[at - 1]);
  return largest;
}

// True if the borders admit `parts` consecutive ranges of `least` elements or more.
bool admits(std::span<const std::int64_t> borders, int parts, std::int64_t least) {
  auto cut = borders.begin();
  for (int part = 0; part < parts; ++part) {
    cut = std::lower_bound(cut, borders.end(), *cut + least);
    if (cut == borders.end()) return false;
  }
  return true;
}

// The largest number of elements that every one of `parts` ranges can have at least. The borders admit ranges of 1.
std::int64_t largest_least(std::span<const std::int64_t> borders, int parts) {
  std::int64_t possible = 1;
  std::int64_t impossible = borders.back() / parts + 1;
  while (impossible - possible > 1) {
    const std::int64_t middle = possible + (impossible - possible) / 2;
    (admits(borders, parts, middle) ? possible : impossible) = middle;
  }
  return possible;
}

// The border in [low, high] nearest to `place`; there is one.
std::int64_t nearest_border(std::span<const std::int64_t> borders, std::int64_t low, std::int64_t high, double place) {
  const auto first = std::ranges::lower_bound(borders, low);
  const auto last = std::ranges::upper_bound(borders, high);
  return *std::min_element(first, last, [place](std::int64_t a, std::int64_t b) {
    return std::abs(static_cast<double>(a) - place) < std::abs(static_cast<double>(b) - place);
  });
}

// Cuts at borders so that no range is empty and ranges differ by at most `largest`, the largest step between borders.
//
// With `least` as large as it can be, ranges of [least, least + largest] elements exist. The ends that i such ranges
// can have are all the borders in [low[i], high[i]]: the greedy smallest ranges end at low[i], the greedy largest at
// high[i], and steps of `largest` at most leave no gap. high reaches the end of the store: a greedy largest range has
// more than `least` elements, so that otherwise `least` could be larger. Of the cuts that are possible, from the last
// to the first, the nearest to the even place is taken.
std::vector<std::int64_t> even_cuts(std::span<const std::int64_t> borders, int parts) {
  const std::int64_t largest = largest_step(borders);
  const std::int64_t least = largest_least(borders, parts);
  const auto count = static_cast<std::size_t>(parts);
  std::vector<std::int64_t> low(count + 1, 0);
  std::vector<std::int64_t> high(count + 1, 0);
  for (std::size_t part = 1; part <= count; ++part) {
    low[part] = *std::ranges::lower_bound(borders, low[part - 1] + least);
    high[part] = *std::prev(std::ranges::upper_bound(borders, high[part - 1] + least + largest));
  }
  std::vector<std::int64_t> cuts(count + 1, 0);
  cuts[count] = borders.back();
  for (std::size_t part = count - 1; part > 0; --part) {
    const double even = static_cast<double>(borders.back()) * static_cast<double>(part) / parts;
    cuts[part] = nearest_border(borders, std::max(low[part], cuts[part + 1] - least - largest),
                                std::min(high[part], cuts[part + 1] - least), even);
  }
  return cuts;
}

void check_server_count(std::int64_t most, const char* what, int servers) {
  LS_CHECK(servers > 0, fmt::format("the parameters are divided among {} servers", servers));
  if (servers <= most) return;
  throw Error(ExitCode::configuration,
              fmt::format("{} parameter servers are too many for this model: {} can be divided among at most {}; use "
                          "--ps_replicas={} or fewer",
                          servers, what, most, most),
              Scope::every_rank);
}

}  // namespace

std::vector<FlatRange> key_ranges(const ParameterTable& table, bool sliceable, int servers) {
  if (sliceable) {
    check_server_count(table.padded_count() / ParameterTable::kAlignment, "its parameters", servers);
    return equal_slices(table.padded_count(), servers, ParameterTable::kAlignment);
  }
  const std::vector<std::int64_t> borders = variable_borders(table);
  check_server_count(std::ssize(borders) - 1, "its variables, which this optimizer updates as a whole,", servers);
  const std::vector<std::int64_t> cuts = even_cuts(borders, servers);
  std::vector<FlatRange> ranges;
  ranges.reserve(static_cast<std::size_t>(servers));
  for (std::size_t part = 1; part < cuts.size(); ++part) ranges.push_back({cuts[part - 1], cuts[part]});
  return ranges;
}

}  // namespace lockstep
