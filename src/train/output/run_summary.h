#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "train/output/run_costs.h"

// What the log says at the end of a run, around the result: what it has cost, how it went, and what to do next. Pure.
namespace lockstep {

struct RunSummary {
  struct Evaluated {
    std::int64_t step = 0;
    std::string metric{};  // "accuracy 96.43 %"
  };

  double examples_per_second = 0;             // the mean over this start; 0: no step was made
  std::optional<double> tokens_per_second{};  // of sequences
  RunCosts costs{};
  std::int64_t evaluations = 0;  // over all starts
  Evaluated best{};              // REQUIRES: there was one
  Evaluated last{};              // likewise
};
std::vector<std::string> describe(const RunSummary& summary);

// What lies in an output_dir, and the commands to go on with.
struct RunFiles {
  std::string output_dir{};  // "": nothing was written
  std::vector<std::string> next_commands{};
  std::string newest{};  // the checkpoint's name in it; "": there is none
  std::string best{};    // likewise, of --keep_best
};
std::vector<std::string> describe(const RunFiles& files);

}  // namespace lockstep
