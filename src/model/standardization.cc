#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/layer_memory.h"
#include "model/layers.h"

namespace lockstep {
namespace {

class Standardization final : public Layer {
 public:
  Standardization(std::vector<double> mean, std::vector<double> stddev)
      : mean_values_(std::move(mean)), stddev_values_(std::move(stddev)) {
    const auto usable = [](double value) { return std::isfinite(value) && value >= 0; };
    if (!std::all_of(stddev_values_.begin(), stddev_values_.end(), usable) ||
        !std::all_of(mean_values_.begin(), mean_values_.end(), [](double value) { return std::isfinite(value); })) {
      throw Error(ExitCode::configuration,
                  "standardization needs finite means and standard deviations of at least 0; look for NaN in the data",
                  Scope::every_rank);
    }
    std::replace(stddev_values_.begin(), stddev_values_.end(), 0.0, 1.0);  // a channel that never varies
  }

  Shape declare(const Shape& input, Declaration& declaration) override {
    const std::int64_t channels = input.rank() == 0 ? 0 : input[input.rank() - 1];
    if (channels != std::ssize(mean_values_) || channels != std::ssize(stddev_values_)) {
      throw Error(
          ExitCode::configuration,
          fmt::format(
              "standardization of inputs {} has {} means and {} standard deviations; give one of each for every "
              "channel (the last axis)",
              input.text(), mean_values_.size(), stddev_values_.size()),
          Scope::every_rank);
    }
    const int number = declaration.next_layer();
    mean_ = declaration.constant(fmt::format("standardization_{}/mean", number), {channels}, mean_values_);
    stddev_ = declaration.constant(fmt::format("standardization_{}/deviation", number), {channels}, stddev_values_,
                                   Declaration::Sign::positive);
    return input;
  }

  Tensor forward(const Tensor& input, Pass& pass) override {
    const Tensor output = output_memory_.get(pass.backend, input.dtype(), input.shape());
    pass.backend.standardize(input, pass.parameters.value(mean_), pass.parameters.value(stddev_), output);
    return output;
  }

  Tensor backward(const Tensor& /*output_gradient*/, InputGradient input_gradient, Pass& pass) override {
    LS_CHECK(input_gradient == InputGradient::not_needed,
             "a standardization stands first: it gives no gradient for its input");
    pass.backend.fill(pass.parameters.gradient(mean_), 0);
    pass.backend.fill(pass.parameters.gradient(stddev_), 0);
    if (pass.on_gradient_ready) pass.on_gradient_ready(pass.parameters.table().padded(mean_, stddev_ + 1));
    return {};
  }

  std::int64_t bytes_per_sample(const LayerPlace& place) const override { return sample_bytes(place.output); }

 private:
  std::vector<double> mean_values_;
  std::vector<double> stddev_values_;
  int mean_ = 0;
  int stddev_ = 0;
  LayerMemory output_memory_;
};

}  // namespace

LayerPointer make_standardization(std::vector<double> mean, std::vector<double> stddev) {
  return std::make_unique<Standardization>(std::move(mean), std::move(stddev));
}

}  // namespace lockstep
