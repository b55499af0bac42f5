#include <doctest/doctest.h>

#include "host_tensor.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

TEST_CASE("labels in the top k: of equal logits the first win") {
  const auto backend = make_cpu_backend();
  auto logits = Host<float>::of({4, 4}, {4, 3, 2, 1,  //
                                         1, 1, 1, 1,  //
                                         1, 2, 2, 0,  //
                                         0, -1, -2, 9});
  std::vector<std::int32_t> labels{2, 1, 2, 3};  // ranked 2, 1, 1, 0
  const Tensor label_tensor(labels.data(), DType::int32, {4});
  auto weights = Host<float>::of({4}, {1, 2, 4, 8});
  Host<double> sum({1});
  for (const auto& [k, expected] : {std::pair{1, 8.0}, {2, 14.0}, {3, 15.0}, {4, 15.0}, {5, 15.0}, {0, 0.0}}) {
    CAPTURE(k);
    backend->count_in_top(k, logits.tensor(), label_tensor, weights.tensor(), sum.tensor());
    CHECK(sum.data[0] == expected);
  }
}

TEST_CASE("the top 1 are the samples that the loss calls correct") {
  const auto backend = make_cpu_backend();
  constexpr std::int64_t kRows = 101;
  Host<float> logits({kRows, 7}, 1);
  for (float& logit : logits.data) logit = std::round(logit * 3);  // many are equal
  Host<float> weights({kRows}, 2);
  std::vector<std::int32_t> labels(kRows);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int32_t>(i % 7);
  const Tensor label_tensor(labels.data(), DType::int32, {kRows});
  Host<double> top({1});
  Host<double> sums({kLossSums});
  backend->count_in_top(1, logits.tensor(), label_tensor, weights.tensor(), top.tensor());
  backend->softmax_cross_entropy(0, logits.tensor(), label_tensor, weights.tensor(), {}, sums.tensor());
  CHECK(top.data[0] == sums.data[2]);
}

TEST_CASE("errors of a regression, of known numbers") {
  const auto backend = make_cpu_backend();
  auto predictions = Host<float>::of({2, 2}, {1, 2, 3, 4});
  auto targets = Host<float>::of({2, 2}, {0, 0, 3, 6});
  auto weights = Host<float>::of({2}, {2, 1});
  Host<double> sums({2});
  backend->regression_errors(predictions.tensor(), targets.tensor(), weights.tensor(), sums.tensor());
  CHECK(sums.data == std::vector<double>{2 * 2.5 + 2, 2 * 1.5 + 1});
}

TEST_CASE("metrics of an empty batch are zero") {
  const auto backend = make_cpu_backend();
  Host<float> predictions({0, 3});
  const Tensor none(nullptr, DType::int32, {0});
  const Tensor no_weights(nullptr, DType::float32, {0});
  Host<double> sums({2}, 1);
  backend->regression_errors(predictions.tensor(), predictions.tensor(), no_weights, sums.tensor());
  CHECK(sums.data == std::vector<double>{0, 0});
  sums.data[0] = 7;
  backend->count_in_top(5, predictions.tensor(), none, no_weights, sums.tensor().flat({0, 1}));
  CHECK(sums.data[0] == 0);
}

}  // namespace
}  // namespace lockstep
