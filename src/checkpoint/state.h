#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/batch_plan.h"
#include "tensor/parameter_table.h"

namespace lockstep {

// The contents of a checkpoint, as plain values on the host: no file, no rank, no device. docs/checkpoint_format.md
// describes the file.

// Everything but the arrays.
struct CheckpointHeader {
  std::int64_t step = 0;  // the last one completed
  std::uint64_t seed = 1;
  std::string model{};
  std::string problem{};
  std::string shape{};               // one JSON object: the problem that a model must fit (checkpoint/shape_json.h);
                                     // "" in files older than this attribute
  std::string vocabulary{};          // one JSON object: what the symbols of a text mean; "" if there is none
  std::string hparams{};             // one JSON object: the resolved hparams
  std::string config{};              // one JSON object: settings that decide the result (train/config/result_config.h)
  std::int64_t ema_updates = 0;      // updates of the moving average, if there is one
  std::int64_t optimizer_begun = 0;  // step after which the optimizer state was reset to zero
  BatchCursor cursor{};              // the samples consumed until then; cursor.step == step
};

// A copy of a training state's arrays, each laid out as the flat store (padded_count() elements, padding included).
struct StateArrays {
  std::vector<float> parameters{};
  std::vector<std::vector<float>> slots{};  // optimizer slots, in the order of slot names; empty with replicas
  std::vector<float> average{};             // the moving average (--ema); empty without
  // For a strategy whose replicas differ in their optimizer state: [replica][slot]; empty if they are equal.
  std::vector<std::vector<std::vector<float>>> replicas{};
};

// The names of a state's arrays and their division into variables. The caller owns the table.
struct StateLayout {
  const ParameterTable* table = nullptr;
  std::vector<std::string> slots{};         // names of the optimizer's slots
  std::vector<std::string> non_negative{};  // slots that hold no number below 0
  bool average = false;
  int replicas = 0;     // 0: all replicas share one optimizer state
  std::string model{};  // the model's name, for messages
};

}  // namespace lockstep
