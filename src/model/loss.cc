#include "model/loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/hparams_range.h"
#include "base/nearest.h"
#include "model/layer.h"

namespace lockstep {
namespace {

// Smooths only while training: without a gradient, the plain loss is asked for.
double smoothing_of(double label_smoothing, const Tensor& gradient) { return is_given(gradient) ? label_smoothing : 0; }

class SoftmaxCrossEntropy final : public Loss {
 public:
  explicit SoftmaxCrossEntropy(double label_smoothing) : label_smoothing_(label_smoothing) {}

  void apply(Backend& backend, const Tensor& predictions, const Batch& batch, const Tensor& gradient,
             const Tensor& sums) const override {
    backend.softmax_cross_entropy(smoothing_of(label_smoothing_, gradient), predictions, batch.targets, batch.weights,
                                  gradient, sums);
  }

 private:
  double label_smoothing_;
};

class SigmoidCrossEntropy final : public Loss {
 public:
  explicit SigmoidCrossEntropy(double label_smoothing) : label_smoothing_(label_smoothing) {}

  void apply(Backend& backend, const Tensor& predictions, const Batch& batch, const Tensor& gradient,
             const Tensor& sums) const override {
    backend.sigmoid_cross_entropy(smoothing_of(label_smoothing_, gradient), predictions, batch.targets, batch.weights,
                                  gradient, sums);
  }

  void to_predictions(Backend& backend, const Tensor& outputs) const override {
    backend.activate(Activation::sigmoid, outputs, outputs);
  }

  // Each class by itself, so they need not add up to 1.
  void to_probabilities(std::span<float> outputs, std::size_t /*classes*/) const override {
    for (float& output : outputs) output = static_cast<float>(1 / (1 + std::exp(-static_cast<double>(output))));
  }

  // log(1 + exp(x)) - x * target, summed over the classes; exp() takes x <= 0, so that none overflows.
  double of_label(std::span<const float> outputs, std::int32_t label) const override {
    double sum = 0;
    for (const double x : outputs) sum += std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
    return sum - static_cast<double>(outputs[static_cast<std::size_t>(label)]);
  }

 private:
  double label_smoothing_;
};

class MeanSquaredError final : public Loss {
 public:
  void apply(Backend& backend, const Tensor& predictions, const Batch& batch, const Tensor& gradient,
             const Tensor& sums) const override {
    backend.mean_squared_error(predictions, batch.targets, batch.weights, gradient, sums);
  }
};

[[noreturn]] void refuse(ExitCode code, const std::string& why) { throw Error(code, why, Scope::every_rank); }

}  // namespace

// Soft-max: exp(x) / sum of exp(x), with the largest x subtracted, so that none overflows.
void Loss::to_probabilities(std::span<float> outputs, std::size_t classes) const {
  std::vector<double> powers(classes);  // powers of one sample
  for (; !outputs.empty(); outputs = outputs.subspan(classes)) {
    const auto of_sample = outputs.first(classes);
    const double largest = *std::ranges::max_element(of_sample);
    double sum = 0;
    for (std::size_t i = 0; i < classes; ++i) sum += powers[i] = std::exp(of_sample[i] - largest);
    for (std::size_t i = 0; i < classes; ++i) of_sample[i] = static_cast<float>(powers[i] / sum);
  }
}

std::string loss_name(const HParams& hparams, ProblemShape::Target target) {
  std::string name = hparams.has("loss") ? hparams.text("loss") : "auto";
  if (name != "auto") return name;
  return target == ProblemShape::Target::real ? "mean_squared_error" : "softmax_cross_entropy";
}

// log(sum of exp(x)) - x of the label.
double Loss::of_label(std::span<const float> outputs, std::int32_t label) const {
  const double largest = *std::ranges::max_element(outputs);
  double sum = 0;
  for (const float output : outputs) sum += std::exp(output - largest);
  return largest - static_cast<double>(outputs[static_cast<std::size_t>(label)]) + std::log(sum);
}

HParams loss_hparams() { return HParams().set("loss", std::string("auto")).set("label_smoothing", 0.0); }

std::unique_ptr<Loss> make_loss(const HParams& hparams, ProblemShape::Target target) {
  const bool labels = target == ProblemShape::Target::class_label;
  const double smoothing = number_or(0, hparams, "label_smoothing", 0, 1);
  const std::string name = loss_name(hparams, target);
  const std::vector<std::string> known{"auto", "softmax_cross_entropy", "sigmoid_cross_entropy", "mean_squared_error"};
  if (name == "softmax_cross_entropy" && !labels) {
    refuse(
        ExitCode::configuration,
        "hparam loss is softmax_cross_entropy, which needs class labels, but the problem's targets are real numbers; "
        "choose loss=mean_squared_error, or sigmoid_cross_entropy for targets between 0 and 1");
  }
  if (name == "mean_squared_error" && labels) {
    refuse(ExitCode::configuration,
           "hparam loss is mean_squared_error, which needs real targets, but the problem's are class labels; choose "
           "loss=softmax_cross_entropy or sigmoid_cross_entropy");
  }
  if (smoothing > 0 && !labels) {
    refuse(
        ExitCode::configuration,
        fmt::format("hparam label_smoothing is {}, but the problem's targets are real numbers, not class labels; set "
                    "label_smoothing=0",
                    smoothing));
  }
  if (name == "softmax_cross_entropy") return std::make_unique<SoftmaxCrossEntropy>(smoothing);
  if (name == "sigmoid_cross_entropy") return std::make_unique<SigmoidCrossEntropy>(smoothing);
  if (name == "mean_squared_error") return std::make_unique<MeanSquaredError>();
  refuse(ExitCode::usage, fmt::format("hparam loss is '{}'{}; there are auto, softmax_cross_entropy, "
                                      "sigmoid_cross_entropy and mean_squared_error",
                                      name, did_you_mean(name, known)));
}

}  // namespace lockstep
