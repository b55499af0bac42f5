#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/predictions/prediction_rows.h"
#include "train/schedule/predict/predict_plan.h"

namespace lockstep {

// The predictions of neighbouring samples, on their way from the rank that made them to the file. A plain value.
struct PredictPortion {
  PredictPlan::Run run{};  // the samples
  std::vector<std::int32_t> classes{};
  std::vector<float> values{};
  std::vector<std::int32_t> targets{};
  std::vector<float> losses{};
  std::vector<std::int32_t> lengths{};
  std::vector<std::int32_t> top{};
  std::vector<float> top_probabilities{};
  std::string lines{};

  // Makes room for predictions of another rank: those of `rows` rows, whose lines have `line_bytes` bytes.
  void make_room(const PredictPlan::Run& of, std::int64_t rows, std::int64_t line_bytes, const PredictionForm& form);
  // The data in pieces, in the same order on the rank that sends and on the one that has made room.
  std::vector<std::span<std::byte>> pieces();

  PredictionRows rows() const;
};

}  // namespace lockstep
