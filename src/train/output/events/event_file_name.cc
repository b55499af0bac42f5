#include "train/output/events/event_file_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/whole_number.h"

namespace lockstep {
namespace {

constexpr std::string_view kEventPrefix = "events.out.tfevents.";
constexpr std::int64_t kLatestSeconds = 9'999'999'999;  // ten digits: until the year 2286 names sort as numbers

// The seconds in an event file's name; 0 for another file's name.
std::int64_t seconds_in(std::string_view name) {
  if (!name.starts_with(kEventPrefix)) return 0;
  name.remove_prefix(kEventPrefix.size());
  const auto seconds = parse_whole<std::int64_t>(std::string(name.substr(0, name.find('.'))));
  return seconds && *seconds < kLatestSeconds ? *seconds : 0;
}

}  // namespace

std::string event_file_name(std::int64_t seconds, const std::string& host, std::span<const std::string> there) {
  for (const std::string& name : there) seconds = std::max(seconds, seconds_in(name) + 1);
  return fmt::format("{}{:010}.{}", kEventPrefix, seconds, host);
}

}  // namespace lockstep
