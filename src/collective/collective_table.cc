#include "collective/collective_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>

#include "base/json_place.h"

namespace lockstep {
namespace {

constexpr std::string_view kMpi = "mpi";
constexpr std::string_view kKey = "collective_table";

bool is_for(const CollectiveTable::Row& row, int ranks_per_host, int hosts) {
  return (row.hosts == 1) == (hosts == 1) && (row.ranks_per_host == 1) == (ranks_per_host == 1) && row.hosts <= hosts &&
         row.ranks_per_host <= ranks_per_host;
}

Json json_of(const CollectiveTable::Row& row) {
  Json::Array ranges;
  ranges.reserve(row.ranges.size());
  for (const CollectiveTable::Range& range : row.ranges) {
    ranges.emplace_back(Json::Object{{"from_bytes", range.from_bytes}, {"backend", range.backend}});
  }
  return Json::Object{{"hosts", row.hosts}, {"ranks_per_host", row.ranks_per_host}, {"ranges", std::move(ranges)}};
}

int positive(const JsonPlace& place) {
  const std::int64_t number = place.integer();
  if (number < 1 || number > std::numeric_limits<int>::max()) {
    place.refuse(fmt::format("expected a number of 1 or more, found {}", number));
  }
  return static_cast<int>(number);
}

std::string backend_of(const JsonPlace& place, const CollectiveTable::Row& row) {
  const std::string& name = place.text();
  const std::string_view other = alternative_to_mpi(row.hosts, row.ranks_per_host);
  if (name != kMpi && name != other) {
    place.refuse(fmt::format(R"(on {}{}, expected "mpi" or "{}", found {})",
                             row.hosts == 1 ? "one host" : "several hosts",
                             row.ranks_per_host == 1 ? " with one rank each" : "", other, shortened(place.json())));
  }
  return name;
}

CollectiveTable::Row row_of(const JsonPlace& place) {
  CollectiveTable::Row row{.hosts = positive(place.member("hosts")),
                           .ranks_per_host = positive(place.member("ranks_per_host")),
                           .ranges = {}};
  const JsonPlace ranges = place.member("ranges");
  for (const JsonPlace& range : ranges.elements()) {
    const JsonPlace from = range.member("from_bytes");
    const bool first = row.ranges.empty();
    if (first ? from.integer() != 0 : from.integer() <= row.ranges.back().from_bytes) {
      from.refuse(first ? "the first range begins at 0" : "expected more than the range before begins at");
    }
    row.ranges.push_back({from.integer(), backend_of(range.member("backend"), row)});
  }
  if (row.ranges.empty()) ranges.refuse("expected a range at least");
  return row;
}

}  // namespace

std::string_view alternative_to_mpi(int hosts, int ranks_per_host) {
  if (hosts == 1) return "shm";
  return ranks_per_host == 1 ? "ring" : "hierarchical";
}

std::string CollectiveTable::backend(std::int64_t bytes, int ranks_per_host, int hosts) const {
  const Row* nearest = nullptr;
  for (const Row& row : rows) {
    if (!is_for(row, ranks_per_host, hosts)) continue;
    if (nearest == nullptr ||
        std::tie(row.hosts, row.ranks_per_host) > std::tie(nearest->hosts, nearest->ranks_per_host)) {
      nearest = &row;
    }
  }
  if (nearest == nullptr) return std::string(kMpi);
  const auto next = std::ranges::upper_bound(nearest->ranges, bytes, {}, &Range::from_bytes);
  return next == nearest->ranges.begin() ? std::string(kMpi) : std::prev(next)->backend;
}

std::string to_json(const CollectiveTable& table) {
  std::string text;
  for (const CollectiveTable::Row& row : table.rows) {
    text += fmt::format("{}  {}", text.empty() ? "" : ",\n", json_of(row).text(Json::Form::readable));
  }
  return fmt::format("{{\"{}\": [\n{}\n]}}\n", kKey, text);
}

CollectiveTable parse_collective_table(std::string_view json) {
  const Json root = parse_json(json);
  CollectiveTable table;
  for (const JsonPlace& place : JsonPlace(root).member(kKey).elements()) {
    const CollectiveTable::Row row = row_of(place);
    const auto same = [&](const CollectiveTable::Row& other) {
      return other.hosts == row.hosts && other.ranks_per_host == row.ranks_per_host;
    };
    if (std::ranges::any_of(table.rows, same)) place.refuse("a row before has the same numbers of hosts and ranks");
    table.rows.push_back(row);
  }
  return table;
}

}  // namespace lockstep
