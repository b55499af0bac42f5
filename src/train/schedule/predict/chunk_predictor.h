#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/batch_buffer.h"
#include "data/device_batch.h"
#include "data/predictions/prediction_rows.h"
#include "tensor/backend.h"
#include "train/saved/saved_model.h"
#include "train/schedule/predict/predict_plan.h"
#include "train/schedule/predict/predict_portion.h"

namespace lockstep {

// Computes a model's predictions chunk by chunk, each in the same way whatever other chunks there are. For sequences
// the inputs are the targets shifted by one, as in training. Its arguments outlive it. One thread.
class ChunkPredictor {
 public:
  // chunk: samples of the largest chunk, if samples are one row each.
  ChunkPredictor(SavedModel& saved, const OpenedSplit& on, const PredictionForm& form, std::int64_t chunk,
                 Backend& backend);

  // Adds the samples' predictions to the portion's; its lines are left alone. Throws Error(internal) that names the
  // sample if a prediction, or a symbol's loss, is not finite.
  void append(const PredictPlan::Run& chunk, PredictPortion& portion);

 private:
  void append_samples(PredictPortion& portion);
  void append_symbols(PredictPortion& portion);
  void append_top(std::span<const float> probabilities, std::span<const std::int32_t> classes, PredictPortion& portion);
  template <class T>
  void check_finite(std::span<const T> values) const;

  SavedModel& saved_;
  const OpenedSplit& on_;
  const PredictionForm& form_;
  Backend& backend_;
  BatchBuffer buffer_;
  DeviceBatch on_device_;
  std::vector<std::int64_t> ids_{};
  // For a chunk of sequences.
  std::vector<float> probabilities_{};  // (B, outputs)
  std::vector<double> losses_{};        // (B)
};

}  // namespace lockstep
