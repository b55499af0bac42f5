#pragma once

#include <string>
#include <vector>

#include "network.h"

namespace lockstep::bench {

// What bench/step measured on the chief, in microseconds.
struct StepTimes {
  std::string model;
  Device device{};
  std::string device_name{};
  std::string collective{};
  bool cuda_graph = false;
  int ranks = 1;
  std::int64_t batch = 0;             // of a rank
  std::int64_t length = 0;            // of each sequence; 0: rows
  std::string precision = "float32";  // of products
  double flop = 0;                    // of a rank's products and convolutions in a step
  std::int64_t memory = 0;            // bytes of parameters, state and results held at once, without the batches
  std::vector<double> step_us{};      // of each group of steps, the mean
  // On the CPU, parts of each step. On a GPU loss and update are rows of operations.
  std::vector<double> loss_us{};      // forward pass without the layers
  std::vector<double> exchange_us{};  // before the backward pass ends: control values, sums over ranks, their norm
  std::vector<double> update_us{};    // what follows it: sums that were not done, norm, division, optimizer, gather
  // On a GPU, exchange_us is what the sums of all gradients over the ranks take by themselves.
  // With --uncoupled, of each round: a step of the slowest rank, coupled and without exchange.
  std::vector<double> coupled_us{};
  std::vector<double> uncoupled_us{};
};

// One JSON object, or a table for people: with the floor of the products, or on a GPU with the gap between the step and
// the sum of its operations, or with --uncoupled with the efficiency.
std::string step_json(const StepTimes& times, const Network& network);
std::string step_table(const StepTimes& times, const Network& network);

}  // namespace lockstep::bench
