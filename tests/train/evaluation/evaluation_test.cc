#include "train/evaluation/evaluation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "collective/self_communicator.h"
#include "data/forwarding_problem.h"
#include "data/problems.h"
#include "model/image_models.h"
#include "support/given_problem.h"
#include "support/ranks.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

// Rows whose lengths are not looked at: that would take a call for each.
class RowsAtOnce final : public ForwardingProblem {
 public:
  using ForwardingProblem::ForwardingProblem;
  SequenceLengths lengths(Split /*split*/, std::int64_t /*sample*/) const override {
    FAIL("the length of a row");
    return {};
  }
};

TEST_CASE("chunks of rows are equal but for the last one, which is no longer") {
  for (const std::int64_t count : {0, 1, 249, 250, 251, 1000}) {
    CAPTURE(count);
    const RowsAtOnce rows(std::make_unique<GivenProblem>(GivenProblem::Parts{.test = count}));
    std::vector<std::int64_t> bounds;
    for (std::int64_t bound = 0; bound < count; bound += 250) bounds.push_back(bound);
    bounds.push_back(count);
    CHECK(evaluation_chunks(rows, Split::test, 2000) == bounds);
    CHECK(largest_evaluation_chunk(rows, Split::test, 2000) == std::min<std::int64_t>(count, 250));
    CHECK(largest_evaluation_chunk(rows, Split::test, 100) == std::min<std::int64_t>(count, 100));
  }
}

EvaluationResult evaluate_fresh_model(Communicator& world, Split split) {
  const auto problem = make_image_shapes({});
  const auto model = make_linear_model({}, problem->shape());
  const auto backend = make_cpu_backend();
  HostAllocator allocator;
  const ParameterStore parameters(model->table(), allocator, allocator, DType::float32);
  initialize(*backend, parameters, model->initializers(), 1);
  return Evaluation(world, *backend, *problem, *model, parameters).run(split);
}

TEST_CASE("an evaluation gives the same counts and the same loss, to the last bit, for any number of ranks") {
  const auto page = NodePage::in_process(1);
  Trace trace(page->line(0), 0);
  const auto self = make_self_communicator(trace);
  for (Split split : {Split::dev, Split::test}) {
    const EvaluationResult alone = evaluate_fresh_model(*self, split);
    CHECK(alone.samples == make_image_shapes({})->count(split));
    for_ranks([&](Communicator& world) {
      const EvaluationResult shared = evaluate_fresh_model(world, split);
      CHECK(shared.samples == alone.samples);
      CHECK(shared["accuracy"].count == alone["accuracy"].count);
      CHECK(shared["loss"].mean == alone["loss"].mean);
    });
  }
}

// Samples whose predictions by a fixed linear model are simple arithmetic.
constexpr std::int64_t kOutputs = 9;
constexpr std::int64_t kCount = 4321;
GivenProblem numbers(ProblemShape::Target target) {
  const auto read = [](Split, std::int64_t sample, const SampleSlot& slot) {
    slot.input[0] = static_cast<float>(std::sin(static_cast<double>(sample)));
    slot.input[1] = static_cast<float>(sample % 7);
    if (slot.label != nullptr) *slot.label = static_cast<std::int32_t>(sample % kOutputs);
    for (std::size_t k = 0; k < slot.target.size(); ++k) slot.target[k] = slot.input[0] + static_cast<float>(k);
  };
  return GivenProblem({.shape = {.input = {2}, .target = target, .outputs = kOutputs}, .test = kCount, .read = read});
}

// Prediction k of a sample is input 0 * (k + 1) / 4 - input 1 * ((3 * k) % 5) / 8.
double kernel(int input, std::int64_t k) {
  return input == 0 ? static_cast<double>(k + 1) / 4 : -static_cast<double>((3 * k) % 5) / 8;
}

EvaluationResult evaluate_numbers(Communicator& world, ProblemShape::Target target, std::int64_t samples) {
  const GivenProblem problem = numbers(target);
  const auto model = make_linear_model({}, problem.shape());
  const auto backend = make_cpu_backend();
  HostAllocator allocator;
  const ParameterStore parameters(model->table(), allocator, allocator, DType::float32);
  for (std::int64_t k = 0; k < kOutputs; ++k) {
    parameters.value(0).as<float>()[k] = static_cast<float>(kernel(0, k));
    parameters.value(0).as<float>()[kOutputs + k] = static_cast<float>(kernel(1, k));
  }
  return Evaluation(world, *backend, problem, *model, parameters).run(Split::test, samples);
}

struct Expected {
  std::int64_t samples = 0;
  std::int64_t correct = 0;
  std::int64_t in_top5 = 0;
  double loss = 0;
  double mean_squared_error = 0;
  double mean_absolute_error = 0;
};

// The same in float64, directly from the definitions.
Expected expected_numbers(ProblemShape::Target target, std::int64_t samples) {
  Expected expected;
  expected.samples = samples;
  for (std::int64_t i = 0; i < samples; ++i) {
    std::array<double, kOutputs> y{};
    const double x = static_cast<double>(static_cast<float>(std::sin(static_cast<double>(i))));
    for (std::int64_t k = 0; k < kOutputs; ++k) {
      y[static_cast<std::size_t>(k)] = x * kernel(0, k) + static_cast<double>(i % 7) * kernel(1, k);
    }
    if (target == ProblemShape::Target::real) {
      for (std::size_t k = 0; k < y.size(); ++k) {
        const double difference = y[k] - (x + static_cast<double>(k));
        expected.mean_squared_error += difference * difference / static_cast<double>(y.size());
        expected.mean_absolute_error += std::abs(difference) / static_cast<double>(y.size());
      }
      continue;
    }
    const auto label = static_cast<std::size_t>(i % kOutputs);
    const auto above = std::ranges::count_if(y, [&](double logit) { return logit > y[label]; });
    if (above == 0) ++expected.correct;
    if (above < 5) ++expected.in_top5;
    double total = 0;
    for (const double logit : y) total += std::exp(logit - y[label]);
    expected.loss += std::log(total);
  }
  const auto n = static_cast<double>(samples);
  expected.loss /= n;
  expected.mean_squared_error /= n;
  expected.mean_absolute_error /= n;
  return expected;
}

TEST_CASE("sequences are evaluated in chunks of up to 1024 symbols, a longer one alone") {
  const auto problem = make_algorithmic("algorithmic_sort_problem", {});
  const std::int64_t count = problem->count(Split::dev);
  const std::vector<std::int64_t> bounds = evaluation_chunks(*problem, Split::dev, count);
  REQUIRE(bounds.front() == 0);
  REQUIRE(bounds.back() == count);
  std::int64_t largest = 0;
  for (std::size_t chunk = 1; chunk < bounds.size(); ++chunk) {
    std::int64_t symbols = 0;
    for (std::int64_t sample = bounds[chunk - 1]; sample < bounds[chunk]; ++sample) {
      symbols += problem->lengths(Split::dev, sample).longest();
    }
    CHECK((symbols <= 1024 || bounds[chunk] - bounds[chunk - 1] == 1));
    largest = std::max(largest, symbols);
  }
  CHECK(largest > 512);
  CHECK(largest_evaluation_chunk(*problem, Split::dev, count) == largest);
  CHECK(largest_evaluation_chunk(*problem, Split::dev, 0) == 0);
}

// Real targets large enough that chunks in 64-bit fixed point would overflow.
GivenProblem large_numbers() {
  const auto read = [](Split, std::int64_t sample, const SampleSlot& slot) {
    slot.input[0] = 0;
    slot.target[0] = sample % 2 == 0 ? 200'000.0F : -200'000.0F;
  };
  const ProblemShape shape{.input = {1}, .target = ProblemShape::Target::real, .outputs = 1};
  return GivenProblem({.shape = shape, .train = 1, .dev = 1, .test = 200'000, .read = read});
}

TEST_CASE("errors of targets of any ordinary size add up") {
  const GivenProblem problem = large_numbers();
  const auto model = make_linear_model({}, problem.shape());
  HostAllocator allocator;
  const ParameterStore parameters(model->table(), allocator, allocator, DType::float32);
  for_thread_ranks(2, [&](RankContext& rank) {
    const auto own_model = make_linear_model({}, problem.shape());
    const auto own_backend = make_cpu_backend();
    const EvaluationResult result =
        Evaluation(rank.communicator, *own_backend, problem, *own_model, parameters).run(Split::test);
    CHECK(result["mean_squared_error"].mean == doctest::Approx(4e10).epsilon(1e-6));
    CHECK(result["mean_absolute_error"].mean == doctest::Approx(2e5).epsilon(1e-6));
  });
}

TEST_CASE("errors of a sigmoid's outputs are those of what it predicts") {
  HParams hparams;
  hparams.set("loss", std::string("sigmoid_cross_entropy"));
  const ProblemShape shape{.input = {2}, .target = ProblemShape::Target::real, .outputs = 1};
  const auto model = make_linear_model(hparams, shape);
  const auto backend = make_cpu_backend();
  HostAllocator allocator;
  const ParameterStore parameters(model->table(), allocator, allocator, DType::float32);
  parameters.value(1).as<float>()[0] = 3;  // bias: the logit of every sample
  std::vector<float> inputs(8);
  std::vector<float> targets{0, 1, 1, 0.5};
  std::vector<float> weights(4, 1);
  std::vector<std::int64_t> ids{0, 1, 2, 3};
  const Batch batch{.inputs = Tensor(inputs.data(), DType::float32, {4, 2}),
                    .targets = Tensor(targets.data(), DType::float32, {4, 1}),
                    .weights = Tensor(weights.data(), DType::float32, {4}),
                    .row_ids = Tensor(ids.data(), DType::int64, {4})};
  Pass pass{.backend = *backend, .parameters = parameters, .mode = Pass::Mode::evaluate};
  const double p = 1 / (1 + std::exp(-3.0));
  CHECK(model->forward(batch, pass)["mean_absolute_error"] ==
        doctest::Approx(p + 2 * (1 - p) + (p - 0.5)).epsilon(1e-6));
}

TEST_CASE("all metrics against float64, for 1 to 17 ranks, of the whole split and of a part") {
  for (const auto target : {ProblemShape::Target::class_label, ProblemShape::Target::real}) {
    for (const std::int64_t samples : {kCount, std::int64_t{1111}}) {
      const Expected expected = expected_numbers(target, samples);
      for (const int ranks : {1, 2, 3, 7, 17}) {
        CAPTURE(ranks);
        for_thread_ranks(ranks, [&](RankContext& rank) {
          const EvaluationResult result = evaluate_numbers(rank.communicator, target, samples);
          CHECK(result.samples == samples);
          if (target == ProblemShape::Target::class_label) {
            CHECK(result.values.size() == 3);
            CHECK(result["accuracy"].count == expected.correct);
            CHECK(result["accuracy"].mean == static_cast<double>(expected.correct) / static_cast<double>(samples));
            CHECK(result["top5_accuracy"].count == expected.in_top5);
            CHECK(result["loss"].mean == doctest::Approx(expected.loss).epsilon(1e-6));
          } else {
            CHECK(result.values.size() == 3);
            CHECK(result["mean_squared_error"].mean == doctest::Approx(expected.mean_squared_error).epsilon(1e-6));
            CHECK(result["mean_absolute_error"].mean == doctest::Approx(expected.mean_absolute_error).epsilon(1e-6));
            CHECK_THROWS_AS(static_cast<void>(result["accuracy"]), Error);
          }
        });
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
