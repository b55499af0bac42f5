#include "model/class_predictions.h"

#include <algorithm>
#include <vector>

namespace lockstep {

void predict_classes(const Loss& loss, Backend& backend, const Tensor& targets, std::span<float> values,
                     std::span<std::int32_t> classes, std::span<double> losses) {
  if (classes.empty()) return;
  std::vector<std::int32_t> labels(losses.size());
  if (!labels.empty()) {
    backend.copy(targets, Tensor(labels.data(), DType::int32, targets.shape()));
    backend.synchronize();
  }
  const std::size_t outputs = values.size() / classes.size();
  for (std::size_t row = 0; row < classes.size(); ++row) {
    const auto of_row = values.subspan(row * outputs, outputs);
    classes[row] = static_cast<std::int32_t>(std::ranges::max_element(of_row) - of_row.begin());
    if (!losses.empty()) losses[row] = loss.of_label(of_row, labels[row]);
  }
  loss.to_probabilities(values, outputs);
}

}  // namespace lockstep
