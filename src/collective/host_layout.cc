#include "collective/host_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <map>

namespace lockstep {
namespace {

// Numbers the values in the order of their first places: {5, 5, 7, 5} gives {0, 0, 1, 0}.
template <class Value>
std::vector<int> numbered(std::span<const Value> values) {
  std::map<Value, int> numbers;
  std::vector<int> result;
  result.reserve(values.size());
  for (const Value& value : values) {
    result.push_back(numbers.try_emplace(value, static_cast<int>(numbers.size())).first->second);
  }
  return result;
}

// The sum as text: "4 x 8 + 2 + 2" for 8, 8, 8, 8, 2, 2; up to three equal counts are written out.
std::string sum_text(std::span<const int> counts) {
  std::string text;
  for (auto run = counts.begin(); run != counts.end();) {
    const auto end = std::find_if(run, counts.end(), [run](int count) { return count != *run; });
    if (!text.empty()) text += " + ";
    if (const auto times = end - run; times > 3) {
      text += fmt::format("{} x {}", times, *run);
    } else {
      text += fmt::format("{}", fmt::join(run, end, " + "));
    }
    run = end;
  }
  return text;
}

}  // namespace

HostLayout::HostLayout(std::span<const int> host_of)
    : host_of_(numbered(host_of)), in_blocks_(std::ranges::is_sorted(host_of_)) {
  for (const int host : host_of_) {
    if (host == hosts()) ranks_.push_back(0);
    ++ranks_[static_cast<std::size_t>(host)];
  }
}

int HostLayout::most_ranks() const { return ranks_.empty() ? 0 : *std::ranges::max_element(ranks_); }

std::string HostLayout::text() const {
  if (in_blocks_) return sum_text(ranks_) + (host_of_.size() == 1 ? " rank" : " ranks");
  return fmt::format("ranks on hosts {}", fmt::join(host_of_, " "));
}

HostLayout find_hosts(Communicator& group, const std::string& host_name) {
  using Name = std::array<char, 256>;  // a host name of Linux has at most 64 bytes
  Name mine{};
  std::ranges::copy_n(host_name.begin(), std::ssize(host_name.substr(0, mine.size())), mine.begin());
  const std::vector<Name> names = all_gather_value(group, mine);
  return HostLayout(numbered(std::span(names)));
}

}  // namespace lockstep
