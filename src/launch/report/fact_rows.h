#pragma once

#include <span>
#include <string>
#include <vector>

#include "launch/report/facts.h"

namespace lockstep {

// A fact of several runs.
struct FactRow {
  std::string name;
  std::vector<std::string> values{};  // one per run; "" if it has none
  bool differs = false;
};

// A row for each name that any of the runs has, in the order in which they are met. Pure.
std::vector<FactRow> fact_rows(std::span<const Facts> runs);

// The flags and hparams of runs: those that differ, then those that are the same. Pure.
struct ConfigRows {
  std::vector<FactRow> differing{};
  std::vector<FactRow> same{};
};
ConfigRows config_rows(std::span<const Run> runs);

}  // namespace lockstep
