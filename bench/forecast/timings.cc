#include "timings.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/json_place.h"
#include "base/split.h"

namespace lockstep::bench {
namespace {

template <class Number>
Number positive(const JsonPlace& place) {
  const std::int64_t number = place.integer();
  if (number < 1 || number > std::numeric_limits<Number>::max()) place.refuse("expected a number of 1 or more");
  return static_cast<Number>(number);
}

HostGrid grid_of(const JsonPlace& line) {
  const HostGrid grid{.hosts = positive<int>(line.member("hosts")),
                      .ranks_per_host = positive<int>(line.member("ranks_per_host"))};
  const JsonPlace ranks = line.member("ranks");
  if (static_cast<std::int64_t>(grid.hosts) * grid.ranks_per_host != ranks.integer()) {
    ranks.refuse(fmt::format("expected {} hosts with {} ranks each; the model knows only hosts with as many ranks",
                             grid.hosts, grid.ranks_per_host));
  }
  return grid;
}

// Nothing if the line is of a sum that the model does not know.
std::optional<SumTiming> timing_of(const JsonPlace& line) {
  if (line.member("op").text() != "allreduce" || line.member("dtype").text() != "float32") return {};
  const std::string& name = line.member("backend").text();
  SumTiming timing{.backend = {}, .grid = grid_of(line), .bytes = positive<std::int64_t>(line.member("bytes"))};
  const auto& names = sum_backend_names();
  if (timing.grid.hosts > 1) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return {};
    timing.backend = static_cast<SumBackend>(found - names.begin());
  } else if (timing.grid.ranks_per_host == 1 || (name != "shm" && name != "hierarchical")) {
    return {};
  }
  const JsonPlace us = line.member("time_us_p50");
  timing.us = us.number();
  if (!(timing.us > 0)) us.refuse("expected a time above 0");
  return timing;
}

}  // namespace

std::vector<SumTiming> parse_timings(std::string_view text, const std::string& source) {
  std::vector<SumTiming> timings;
  int number = 0;
  for (const std::string& line : split_at(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    try {
      const Json json = parse_json(line);
      if (const auto timing = timing_of(JsonPlace(json))) timings.push_back(*timing);
    } catch (const JsonError& error) {
      throw Error(
          ExitCode::bad_data,
          fmt::format("{}, line {}: {}; expected lines of bench/collective --json", source, number, error.what()),
          Scope::every_rank);
    }
  }
  return timings;
}

int fewest_hosts(std::span<const SumTiming> timings, SumBackend backend) {
  int fewest = 0;
  for (const SumTiming& timing : timings) {
    if (timing.backend == backend && (fewest == 0 || timing.grid.hosts < fewest)) fewest = timing.grid.hosts;
  }
  return fewest;
}

bool covers(std::span<const SumTiming> timings, SumBackend backend, HostGrid grid) {
  return std::ranges::any_of(timings, [&](const SumTiming& timing) {
    const bool same_kind = timing.backend == backend || (!timing.backend && grid.hosts == 1);
    return same_kind && timing.grid.ranks_per_host == grid.ranks_per_host && timing.grid.hosts >= grid.hosts;
  });
}

}  // namespace lockstep::bench
