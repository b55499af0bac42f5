#include "data/sequences/unit_counts.h"

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>

#include "data/sequences/each_megabyte.h"

namespace lockstep {

UnitCounts::UnitCounts(std::string_view (*take)(std::string_view& text), std::string_view text,
                       const std::function<void()>& each_megabyte) {
  EachMegabyte progress(each_megabyte, text.size());
  std::array<std::int64_t, 256> of_byte{};  // most units of a text have one byte: counted without hashing
  std::unordered_map<std::string_view, std::int64_t> of_longer;
  for (auto found = take(text); !found.empty(); found = take(text)) {
    progress.at(text.size());
    ++(found.size() == 1 ? of_byte[static_cast<unsigned char>(found.front())] : of_longer[found]);
  }
  counts_.reserve(of_byte.size() + of_longer.size());
  for (std::size_t byte = 0; byte < of_byte.size(); ++byte) {
    if (of_byte[byte] > 0) counts_.push_back({.unit = std::string(1, static_cast<char>(byte)), .times = of_byte[byte]});
  }
  for (const auto& [longer, times] : of_longer) counts_.push_back({.unit = std::string(longer), .times = times});
  std::ranges::sort(counts_, {}, &Count::unit);
}

std::vector<std::string> UnitCounts::in_order() const {
  std::vector<std::string> units;
  units.reserve(counts_.size());
  for (const Count& count : counts_) units.push_back(count.unit);
  return units;
}

std::vector<std::string> UnitCounts::most_frequent(std::size_t most) const {
  std::vector<const Count*> sorted;
  sorted.reserve(counts_.size());
  for (const Count& count : counts_) sorted.push_back(&count);
  // A stable sort: units of equal counts keep the order of their bytes.
  std::ranges::stable_sort(sorted, std::ranges::greater(), [](const Count* count) { return count->times; });
  sorted.resize(std::min(most, sorted.size()));
  std::vector<std::string> units;
  units.reserve(sorted.size());
  for (const Count* const count : sorted) units.push_back(count->unit);
  return units;
}

}  // namespace lockstep
