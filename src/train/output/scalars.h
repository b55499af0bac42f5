#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

namespace lockstep {

// The numbers of a train or eval line of metrics.jsonl, under their names there and in their order.
struct Scalars {
  std::int64_t step = 0;
  double wall_seconds = 0;
  std::string split{};  // split of an eval line; "" in a train line
  std::vector<std::pair<std::string, double>> values{};
};

// Returns none for a line of another kind, or one that is broken. A null in the file was not finite, and is NaN here.
// Pure.
std::optional<Scalars> scalars_of(const Json& line);

}  // namespace lockstep
