#pragma once

#include <string>
#include <vector>

#include "network.h"

namespace lockstep::bench {

// Measurements of bench/step on the chief, in microseconds.
struct StepTimes {
  std::string model;
  Device device{};
  std::string device_name{};
  std::string collective{};
  bool cuda_graph = false;
  int ranks = 1;
  std::int64_t batch = 0;             // samples per rank
  std::int64_t length = 0;            // symbols per sequence; 0: rows
  std::string precision = "float32";  // type of the factors of products
  double flop = 0;                    // operations of one rank's products, convolutions and attention per step
  std::int64_t memory = 0;            // most bytes of parameters, state and results held at once, without the batches
  std::vector<double> step_us{};      // mean of each group of steps
  // On the CPU, parts of each step. On a GPU loss and update are rows of operations.
  std::vector<double> loss_us{};      // forward pass without the layers
  std::vector<double> exchange_us{};  // before the backward pass ends: control values, sums over ranks, their norm
  std::vector<double> update_us{};    // after it: the remaining sums, norm, division, optimizer, gather
  // On a GPU, exchange_us is the time of the sums of all gradients over the ranks by themselves.
  // With --uncoupled, for each round: a step of the slowest rank, coupled and without exchange.
  std::vector<double> coupled_us{};
  std::vector<double> uncoupled_us{};
};

// The measurements as one JSON object, and as a table for people. Both have the floor of the products; on a GPU instead
// the gap between the step and the sum of its operations; with --uncoupled instead of either the efficiency.
std::string step_json(const StepTimes& times, const Network& network);
std::string step_table(const StepTimes& times, const Network& network);

}  // namespace lockstep::bench
