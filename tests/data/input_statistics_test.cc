#include "data/input_statistics.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "support/check_error.h"
#include "support/given_problem.h"

namespace lockstep {
namespace {

// A problem whose training inputs are a function of (sample, element).
GivenProblem formula_problem(Shape input, std::int64_t samples,
                             std::function<double(std::int64_t sample, std::int64_t element)> formula) {
  const auto read = [formula = std::move(formula)](Split, std::int64_t sample, const SampleSlot& slot) {
    for (std::size_t i = 0; i < slot.input.size(); ++i) {
      slot.input[i] = static_cast<float>(formula(sample, static_cast<std::int64_t>(i)));
    }
    *slot.label = 0;
  };
  return GivenProblem({.shape = {.input = input, .outputs = 2}, .train = samples, .read = read});
}

InputStatistics statistics(const Problem& problem) {
  return combine_statistics(problem.shape(), statistics_of_pieces(problem, 0, kStatisticsPieces));
}

}  // namespace

// 0, 1, ..., n - 1 have mean (n - 1) / 2 and variance (n^2 - 1) / 12.
TEST_CASE("mean and stddev of each channel") {
  for (const std::int64_t samples : {1, 2, 63, 64, 65, 1000, 1201}) {
    CAPTURE(samples);
    const GivenProblem problem = formula_problem({3}, samples, [](std::int64_t sample, std::int64_t channel) {
      return channel == 2 ? -4.5 : static_cast<double>(sample) * (channel + 1);
    });
    const InputStatistics result = statistics(problem);
    const auto n = static_cast<double>(samples);
    const double stddev = samples == 1 ? 1 : std::sqrt((n * n - 1) / 12);
    REQUIRE(result.mean.size() == 3);
    REQUIRE(result.stddev.size() == 3);
    CHECK(result.mean[0] == doctest::Approx((n - 1) / 2).epsilon(1e-13));
    CHECK(result.mean[1] == doctest::Approx(n - 1).epsilon(1e-13));
    CHECK(result.mean[2] == -4.5);
    CHECK(result.stddev[0] == doctest::Approx(stddev).epsilon(1e-13));
    CHECK(result.stddev[1] == doctest::Approx(samples == 1 ? 1 : 2 * stddev).epsilon(1e-13));
    CHECK(result.stddev[2] == 1);  // constant
  }
}

TEST_CASE("a channel's values come from all places of an image, of whatever size") {
  for (const std::int64_t channels : {1, 2, 3, 5, 8, 11}) {
    CAPTURE(channels);
    // All places 0 .. 14 have the value place + 100 * channel, in every image.
    const GivenProblem problem = formula_problem({3, 5, channels}, 70, [channels](std::int64_t, std::int64_t element) {
      const std::int64_t place = element / channels;
      return static_cast<double>(place + 100 * (element % channels));
    });
    const InputStatistics result = statistics(problem);
    REQUIRE(std::ssize(result.mean) == channels);
    for (std::int64_t c = 0; c < channels; ++c) {
      CHECK(result.mean[static_cast<std::size_t>(c)] == doctest::Approx(7 + 100.0 * static_cast<double>(c)));
      CHECK(result.stddev[static_cast<std::size_t>(c)] == doctest::Approx(std::sqrt((225.0 - 1) / 12)));
    }
  }
}

TEST_CASE("a large mean costs no digits") {
  const GivenProblem problem =
      formula_problem({1}, 1000, [](std::int64_t sample, std::int64_t) { return 1e7 + sample % 2; });
  CHECK(statistics(problem).mean[0] == doctest::Approx(1e7 + 0.5).epsilon(1e-15));
  CHECK(statistics(problem).stddev[0] == doctest::Approx(0.5).epsilon(1e-8));
  const GivenProblem constant = formula_problem({1}, 1000, [](std::int64_t, std::int64_t) { return 0.1; });
  CHECK(statistics(constant).stddev[0] == 1);
  CHECK(statistics(constant).mean[0] == static_cast<double>(0.1F));
}

TEST_CASE("however the pieces are shared out, the bits are the same") {
  const GivenProblem problem = formula_problem({7, 3}, 517, [](std::int64_t sample, std::int64_t element) {
    return std::sin(static_cast<double>(13 * sample + element));
  });
  const std::vector<double> at_once = statistics_of_pieces(problem, 0, kStatisticsPieces);
  CHECK(at_once.size() == kStatisticsPieces * statistics_words(problem.shape()));
  for (const int ranks : {2, 3, 5, 8, 64}) {
    std::vector<double> together;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto part =
          statistics_of_pieces(problem, kStatisticsPieces * rank / ranks, kStatisticsPieces * (rank + 1) / ranks);
      together.insert(together.end(), part.begin(), part.end());
    }
    CHECK(together == at_once);
  }
}

TEST_CASE("NaN and infinity are named by their sample") {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const GivenProblem problem = formula_problem({4}, 300, [bad](std::int64_t sample, std::int64_t element) {
      return sample >= 217 && element == 2 ? bad : 1.0;
    });
    check_error(ExitCode::bad_data, {"sample 217 ", "train split", "element 2"}, [&] { statistics(problem); });
  }
}

}  // namespace lockstep
