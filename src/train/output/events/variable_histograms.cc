#include "train/output/events/variable_histograms.h"

#include <algorithm>
#include <span>

namespace lockstep {

VariableHistograms::VariableHistograms(Backend& backend, const ParameterStore& parameters, EventFile& file,
                                       std::int64_t every)
    : backend_(backend), parameters_(parameters), file_(file), every_(every) {
  std::int64_t largest = 0;
  for (const Variable& variable : parameters.table().variables()) largest = std::max(largest, variable.range.count());
  host_.resize(static_cast<std::size_t>(largest));
}

void VariableHistograms::after_step(std::int64_t step, double gradient_factor) {
  if (step % every_ != 0) return;
  std::vector<TaggedHistogram> histograms;
  const std::vector<Variable>& variables = parameters_.table().variables();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const int number = static_cast<int>(i);
    const std::string& name = variables[i].name;
    histograms.push_back({"parameters/" + name, histogram_of_tensor(parameters_.value(number), 1)});
    if (!variables[i].trainable) continue;
    histograms.push_back({"gradients/" + name, histogram_of_tensor(parameters_.gradient(number), gradient_factor)});
  }
  file_.write(step, histograms);
}

Histogram VariableHistograms::histogram_of_tensor(const Tensor& tensor, double factor) {
  backend_.copy(tensor, Tensor(host_.data(), DType::float32, tensor.shape()));
  backend_.synchronize();
  const auto values = std::span(host_).first(static_cast<std::size_t>(tensor.count()));
  for (float& value : values) value *= static_cast<float>(factor);
  return histogram_of(values);
}

}  // namespace lockstep
