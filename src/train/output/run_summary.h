#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "train/output/run_costs.h"

// The content of the log lines around the result at the end of a run: its speed, costs and evaluations. Pure.
namespace lockstep {

struct RunSummary {
  struct Evaluated {
    std::int64_t step = 0;
    std::string metric{};  // "accuracy 96.43 %"
  };

  double examples_per_second = 0;             // the mean over this start; 0: no step was made
  std::optional<double> tokens_per_second{};  // for sequences
  RunCosts costs{};
  std::int64_t evaluations = 0;  // over all starts
  Evaluated best{};              // its metric is "" if none was finite
  Evaluated last{};
};
std::vector<std::string> describe(const RunSummary& summary);

// The files in an output_dir, and the commands to continue with.
struct RunFiles {
  std::string output_dir{};  // "": nothing was written
  std::vector<std::string> next_commands{};
  std::string newest{};  // name of the newest checkpoint; "": there is none
  std::string best{};    // name of the checkpoint of --keep_best; "": there is none
};
std::vector<std::string> describe(const RunFiles& files);

}  // namespace lockstep
