#include "model/loss.h"

#include <doctest/doctest.h>

#include <array>

#include "model/gradient_check.h"
#include "model/layer_model.h"
#include "model/layers.h"
#include "small_batch.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

using Target = ProblemShape::Target;

HParams with(const std::string& loss, double smoothing) {
  HParams hparams;
  hparams.set("loss", loss).set("label_smoothing", smoothing);
  return hparams;
}

// Returns the loss of two samples with weights 1 and 2, outputs (0, log 3) each.
double loss_of(const HParams& hparams, Target target, Pass::Mode mode) {
  const auto backend = make_cpu_backend();
  std::array<float, 4> predictions{0, std::log(3.0F), 0, std::log(3.0F)};
  std::array<std::int32_t, 2> labels{1, 0};
  std::array<float, 4> targets{0, 1, 1, 0};
  std::array<float, 2> weights{1, 2};
  std::array<float, 4> gradient{};
  std::array<double, kLossSums> sums{};
  const Batch batch{.inputs = {},
                    .targets = target == Target::real ? Tensor(targets.data(), DType::float32, {2, 2})
                                                      : Tensor(labels.data(), DType::int32, {2}),
                    .weights = Tensor(weights.data(), DType::float32, {2}),
                    .row_ids = {}};
  const Tensor wanted = mode == Pass::Mode::train ? Tensor(gradient.data(), DType::float32, {2, 2}) : Tensor();
  make_loss(hparams, target)
      ->apply(*backend, Tensor(predictions.data(), DType::float32, {2, 2}), batch, wanted,
              Tensor(sums.data(), DType::float64, {kLossSums}));
  return sums[0];
}

TEST_CASE("the loss of one sample on the host, against closed forms, also where exp() would overflow") {
  const double log3 = std::log(3.0);
  const double log4 = std::log(4.0);
  const std::array<float, 2> outputs{0, std::log(3.0F)};
  const std::array<float, 3> far{-1000, 1000, 0};
  const auto soft_max = make_loss({}, Target::class_label);
  CHECK(soft_max->of_label(outputs, 1) == doctest::Approx(log4 - log3));
  CHECK(soft_max->of_label(outputs, 0) == doctest::Approx(log4));
  CHECK(soft_max->of_label(far, 1) == 0);
  CHECK(soft_max->of_label(far, 0) == 2000);
  const auto sigmoid = make_loss(with("sigmoid_cross_entropy", 0), Target::class_label);
  CHECK(sigmoid->of_label(outputs, 1) == doctest::Approx(std::log(2.0) + log4 - log3));
  CHECK(sigmoid->of_label(outputs, 0) == doctest::Approx(std::log(2.0) + log4));
  CHECK(sigmoid->of_label(far, 0) == doctest::Approx(2000 + std::log(2.0)));
}

TEST_CASE("losses by name, against closed forms") {
  const double log2 = std::log(2.0);
  const double log3 = std::log(3.0);
  const double log4 = std::log(4.0);
  const double soft_max = (log4 - log3) + 2 * log4;  // probabilities 1/4 and 3/4
  const double sigmoid = (log2 + log4 - log3) + 2 * (log2 + log4);
  const double squares = ((log3 - 1) * (log3 - 1) + 2 * (1 + log3 * log3)) / 2;
  const auto train = Pass::Mode::train;
  CHECK(loss_of({}, Target::class_label, train) == doctest::Approx(soft_max));
  CHECK(loss_of({}, Target::real, train) == doctest::Approx(squares));
  CHECK(loss_of(with("auto", 0), Target::class_label, train) == doctest::Approx(soft_max));
  CHECK(loss_of(with("softmax_cross_entropy", 0), Target::class_label, train) == doctest::Approx(soft_max));
  CHECK(loss_of(with("sigmoid_cross_entropy", 0), Target::class_label, train) == doctest::Approx(sigmoid));
  CHECK(loss_of(with("sigmoid_cross_entropy", 0), Target::real, train) == doctest::Approx(sigmoid));
  CHECK(loss_of(with("mean_squared_error", 0), Target::real, train) == doctest::Approx(squares));
}

TEST_CASE("labels are smoothed while training and never in an evaluation") {
  const double log3 = std::log(3.0);
  const double log4 = std::log(4.0);
  // Targets 0.9 and 0.1: 0.9 (log 4 - log 3) + 0.1 log 4, and 0.9 log 4 + 0.1 (log 4 - log 3).
  const double smoothed = (log4 - 0.9 * log3) + 2 * (log4 - 0.1 * log3);
  const HParams hparams = with("auto", 0.2);
  CHECK(loss_of(hparams, Target::class_label, Pass::Mode::train) == doctest::Approx(smoothed));
  CHECK(loss_of(hparams, Target::class_label, Pass::Mode::evaluate) ==
        doctest::Approx(loss_of({}, Target::class_label, Pass::Mode::train)));
}

TEST_CASE("gradients of every loss, with and without smoothing") {
  for (const auto& [name, smoothing, target] : {std::tuple{"softmax_cross_entropy", 0.0, Target::class_label},
                                                {"softmax_cross_entropy", 0.3, Target::class_label},
                                                {"sigmoid_cross_entropy", 0.0, Target::class_label},
                                                {"sigmoid_cross_entropy", 0.3, Target::class_label},
                                                {"sigmoid_cross_entropy", 0.0, Target::real},
                                                {"mean_squared_error", 0.0, Target::real}}) {
    CAPTURE(name);
    CAPTURE(smoothing);
    const ProblemShape shape{.input = {5}, .target = target, .outputs = 3};
    SmallBatch samples(4, shape);
    LayerModel model(make_linear(3, LinearInit::glorot_uniform), shape, with(name, smoothing));
    CHECK(gradient_error(model, samples.batch) < 1e-7);
  }
}

TEST_CASE("a loss that is unknown, out of range or does not fit the targets is refused") {
  const auto check = [](const HParams& hparams, Target target, ExitCode code, const char* text) {
    CAPTURE(text);
    try {
      make_loss(hparams, target);
      FAIL_CHECK("no Error was thrown");
    } catch (const Error& error) {
      CHECK_MESSAGE(std::string(error.what()).find(text) != std::string::npos, error.what());
      CHECK(error.code() == code);
      CHECK(error.scope() == Scope::every_rank);
    }
  };
  check(with("softmax_cross_entrpy", 0), Target::class_label, ExitCode::usage, "did you mean 'softmax_cross_entropy'");
  check(with("auto", 1), Target::class_label, ExitCode::usage, "label_smoothing is 1");
  check(with("auto", -0.1), Target::class_label, ExitCode::usage, "label_smoothing is -0.1");
  check(with("softmax_cross_entropy", 0), Target::real, ExitCode::configuration, "choose loss=mean_squared_error");
  check(with("mean_squared_error", 0), Target::class_label, ExitCode::configuration, "loss=softmax_cross_entropy");
  check(with("auto", 0.1), Target::real, ExitCode::configuration, "set label_smoothing=0");
}

}  // namespace
}  // namespace lockstep
