#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cost.h"
#include "launch/flags/command_line.h"
#include "step_model.h"

namespace lockstep::bench {

// Options of bench/forecast. A plain value.
struct ForecastOptions {
  std::vector<std::string> timings;  // files; empty: links are given
  std::vector<double> link_gbit;
  double latency_us = 0;
  double host_gbs = 0;
  std::optional<TrainingStep> step;  // none: the fit alone is asked for
  std::vector<HostGrid> grids;
  bool json = false;
};

std::span<const Flag> forecast_flags();
// Reads the command line. Throws Error(usage) of every rank.
ForecastOptions parse_forecast_options(std::span<const std::string> args);

}  // namespace lockstep::bench
