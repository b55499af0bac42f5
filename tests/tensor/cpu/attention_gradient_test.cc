#include <doctest/doctest.h>

#include "attention_case.h"

namespace lockstep::cpu {
namespace {

double loss(AttentionCase<double>& run) {
  run.forward();
  double sum = 0;
  for (std::size_t i = 0; i < run.out.size(); ++i) sum += run.out[i] * run.dout[i];
  return sum;
}

// (f(x + h) - f(x - h)) / (2 h) is the slope up to O(h^2) and the rounding of f over h: 1e-8 for this f.
void check_slopes(AttentionCase<double> run) {
  run.forward();
  run.backward();
  constexpr double kStep = 1e-5;
  for (std::size_t i = 0; i < run.qkv.size(); i += 7) {  // 7 and the columns of a row are coprime
    const double value = run.qkv[i];
    run.qkv[i] = value + kStep;
    const double above = loss(run);
    run.qkv[i] = value - kStep;
    const double below = loss(run);
    run.qkv[i] = value;
    CHECK(run.dqkv[i] == doctest::Approx((above - below) / (2 * kStep)).epsilon(1e-7));
  }
}

AttentionCase<double> two_sequences(bool causal, double rate) {
  AttentionCase<double> run;
  run.shape = {.heads = 2, .head_dim = 5, .scale = 0.7, .causal = causal};
  run.dropout = {.rate = rate, .stream = {.seed = 3, .purpose = Purpose::dropout}};
  run.sequences = {{0, 66, 0, 66}, {66, 69, 66, 69}};
  run.rows = 69;
  run.fill();
  return run;
}

TEST_CASE("gradients of attention are the slopes of its loss") {
  check_slopes(two_sequences(false, 0));
  check_slopes(two_sequences(true, 0));
}

TEST_CASE("gradients of attention with dropout are the slopes of its loss: both passes see the same masks") {
  check_slopes(two_sequences(false, 0.4));
  check_slopes(two_sequences(true, 0.4));
}

TEST_CASE("gradients of attention between two sequences are the slopes of its loss") {
  AttentionCase<double> run;
  run.shape = {.heads = 1, .head_dim = 3, .scale = 1, .causal = false};
  run.sequences = {{0, 5, 5, 72}, {5, 72, 0, 5}};  // q and k of one row belong to different sequences
  run.rows = 72;
  run.fill();
  check_slopes(run);
}

// With equal keys all weights are 1 / keys, and with values of 1 an output is the share of kept weights over 1 - rate.
TEST_CASE("dropout takes its share of the weights, anew in every step, row and head") {
  constexpr std::int64_t kLength = 200;
  constexpr double kRate = 0.25;
  AttentionCase<double> run;
  run.shape = {.heads = 2, .head_dim = 1, .scale = 1, .causal = false};
  run.dropout = {.rate = kRate, .stream = {.purpose = Purpose::dropout}};
  run.sequences = {{0, kLength, 0, kLength}};
  run.rows = kLength;
  run.fill();
  run.qkv.assign(run.qkv.size(), 1);
  run.forward();
  double sum = 0;
  for (double share : run.out) sum += share;
  // 80,000 draws: the standard deviation of the mean kept share is sqrt(0.25 * 0.75 / 80000) = 0.0015.
  CHECK(std::abs(sum / static_cast<double>(run.out.size()) * (1 - kRate) - (1 - kRate)) < 0.006);
  const std::vector<double> first = run.out;
  run.dropout.stream.step = 1;
  run.forward();
  const std::vector<double> second = run.out;
  run.number_rows(kLength);
  run.forward();
  for (const std::vector<double>& other : {second, run.out}) {
    std::size_t equal = 0;
    for (std::size_t i = 0; i < first.size(); ++i) equal += first[i] == other[i] ? 1 : 0;
    CHECK(equal < first.size() / 5);  // shares of 200 draws are equal by chance in 5 of 100
  }
}

}  // namespace
}  // namespace lockstep::cpu
