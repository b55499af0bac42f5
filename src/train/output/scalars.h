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
  std::string split{};  // of an eval line; "" of a train line
  std::vector<std::pair<std::string, double>> values{};
};

// None of another line, or what is none. What is null in the file was not finite, and is NaN here. Pure.
std::optional<Scalars> scalars_of(const Json& line);

}  // namespace lockstep
