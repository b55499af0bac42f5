#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "launch/flags/command_line.h"
#include "network.h"
#include "optim/optimizer.h"

namespace lockstep::bench {

// A network of bench/step, its optimizer, and the default sizes.
struct ModelKind {
  const char* name;
  Network (*network)(const NetworkSize& size);
  std::unique_ptr<Optimizer> (*optimizer)();
  std::int64_t group_steps;  // steps of a group on the CPU; five times as many on a GPU
  std::int64_t batch;
  std::int64_t length;  // symbols per sequence; 0: rows
};

// Options of bench/step. A plain value.
struct StepOptions {
  const ModelKind* model;
  std::string device;
  std::string collective;
  std::int64_t batch;
  std::int64_t length;
  std::int64_t rounds;
  std::int64_t groups;
  std::optional<double> seconds;  // time of the steps of all rounds, in place of `groups`
  DType precision;
  bool cuda_graph;
  bool uncoupled;
  bool shard_optimizer;
  bool json;
};

std::span<const Flag> step_flags();
// Reads the command line. Throws Error(usage) of every rank.
StepOptions parse_step_options(std::span<const std::string> args);

}  // namespace lockstep::bench
