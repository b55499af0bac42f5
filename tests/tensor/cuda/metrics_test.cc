#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "tensor/cpu/cpu_backend.h"
#include "tensor/cuda/gpu_under_test.h"

namespace lockstep {
namespace {

TEST_CASE("labels in the top k: of equal logits the first win, and a NaN is in no top") {
  on_gpu([](Backend& backend) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    const OnGpu<float> logits(backend, Host<float>::of({5, 4}, {4, 3,  2,    1,  //
                                                                1, 1,  1,    1,  //
                                                                1, 2,  2,    0,  //
                                                                0, -1, -2,   9,  //
                                                                9, 1,  kNan, 0}));
    const OnGpu<std::int32_t> labels(backend, Host<std::int32_t>::of({5}, {2, 1, 2, 3, 0}));  // ranked 2, 1, 1, 0
    const OnGpu<float> weights(backend, Host<float>::of({5}, {1, 2, 4, 8, 16}));
    const OnGpu<double> sum(backend, Shape{1});
    for (const auto& [k, expected] : {std::pair{1, 8.0}, {2, 14.0}, {3, 15.0}, {4, 15.0}, {5, 15.0}, {0, 0.0}}) {
      CAPTURE(k);
      backend.count_in_top(k, logits.tensor, labels.tensor, weights.tensor, sum.tensor);
      CHECK(sum.read()[0] == expected);
    }
  });
}

TEST_CASE("the top k of many classes and samples are the CPU's") {
  constexpr std::int64_t kRows = 101;
  for (const std::int64_t width : {7, 1'000}) {
    Host<float> logits({kRows, width}, 1);
    for (float& logit : logits.data) logit = std::round(logit * 3);  // many are equal
    Host<float> weights({kRows}, 2);
    for (float& weight : weights.data) weight = std::round(weight * 8);  // so that sums are exact
    Host<std::int32_t> labels({kRows});
    for (std::size_t i = 0; i < labels.data.size(); ++i) {
      labels.data[i] = static_cast<std::int32_t>(static_cast<std::int64_t>(31 * i) % width);
    }
    on_gpu([&](Backend& backend) {
      const OnGpu<float> logits_there(backend, logits);
      const OnGpu<std::int32_t> labels_there(backend, labels);
      const OnGpu<float> weights_there(backend, weights);
      const OnGpu<double> sum(backend, Shape{1});
      for (const std::int64_t k : {std::int64_t{1}, std::int64_t{5}, width - 1, width}) {
        Host<double> expected({1});
        make_cpu_backend()->count_in_top(k, logits.tensor(), labels.tensor(), weights.tensor(), expected.tensor());
        backend.count_in_top(k, logits_there.tensor, labels_there.tensor, weights_there.tensor, sum.tensor);
        CHECK(sum.read() == expected.data);
      }
    });
  }
}

TEST_CASE("errors of a regression, of known numbers and of many") {
  on_gpu([](Backend& backend) {
    const OnGpu<double> sums(backend, Shape{2});
    const OnGpu<float> few(backend, Host<float>::of({2, 2}, {1, 2, 3, 4}));
    const OnGpu<float> few_targets(backend, Host<float>::of({2, 2}, {0, 0, 3, 6}));
    const OnGpu<float> few_weights(backend, Host<float>::of({2}, {2, 1}));
    backend.regression_errors(few.tensor, few_targets.tensor, few_weights.tensor, sums.tensor);
    CHECK(sums.read() == std::vector<double>{2 * 2.5 + 2, 2 * 1.5 + 1});

    Host<float> predictions({700, 33}, 1);
    Host<float> targets({700, 33}, 2);
    Host<float> weights({700}, 3);
    Host<double> expected({2});
    make_cpu_backend()->regression_errors(predictions.tensor(), targets.tensor(), weights.tensor(), expected.tensor());
    backend.regression_errors(OnGpu<float>(backend, predictions).tensor, OnGpu<float>(backend, targets).tensor,
                              OnGpu<float>(backend, weights).tensor, sums.tensor);
    // The same terms in another order, in float64: 700 of them, each below 4.
    CHECK(largest_difference(sums.read(), expected.data) < 700 * 2'800 * 0x1p-53);
  });
}

TEST_CASE("metrics of an empty batch are zero") {
  on_gpu([](Backend& backend) {
    const OnGpu<float> predictions(backend, Shape{0, 3});
    const OnGpu<std::int32_t> labels(backend, Shape{0});
    const OnGpu<float> weights(backend, Shape{0});
    const OnGpu<double> sums(backend, Shape{2});
    backend.regression_errors(predictions.tensor, predictions.tensor, weights.tensor, sums.tensor);
    CHECK(sums.read() == std::vector<double>{0, 0});
    const OnGpu<double> sum(backend, Shape{1});
    backend.count_in_top(5, predictions.tensor, labels.tensor, weights.tensor, sum.tensor);
    CHECK(sum.read() == std::vector<double>{0});
  });
}

}  // namespace
}  // namespace lockstep
