#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/report/run.h"

namespace lockstep {

// Some samples and what was predicted for them, for people.
struct SampleTable {
  struct Cell {
    std::string text{};
    std::optional<double> share{};  // of a probability: 0 to 1
  };

  std::string title{};
  std::vector<std::string> columns{};
  std::vector<std::vector<Cell>> rows{};  // as many cells as columns
  std::string trouble{};                  // why there are no rows; else ""
};

// The first of predictions.csv, and of each details-SPLIT.json the worst; only those that are there. Pure.
std::vector<SampleTable> sample_tables(const Run& run);

}  // namespace lockstep
