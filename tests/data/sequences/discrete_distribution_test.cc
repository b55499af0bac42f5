#include "data/sequences/discrete_distribution.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "support/check_error.h"

namespace lockstep {
namespace {

constexpr std::uint32_t kLastWord = 0xFFFFFFFF;

// Returns the probability of each number, from 2^18 evenly spaced words.
std::vector<double> frequencies(const DiscreteDistribution& distribution, std::size_t numbers) {
  constexpr std::uint32_t kWords = 1 << 18;
  std::vector<double> result(numbers);
  for (std::uint32_t i = 0; i < kWords; ++i) {
    result.at(static_cast<std::size_t>(distribution.draw(i << 14 | 1 << 13))) += 1.0 / kWords;
  }
  return result;
}

}  // namespace

TEST_CASE("words are divided as the weights say") {
  const std::vector<double> weights{1, 0, 2, 1};
  const DiscreteDistribution distribution(weights);
  CHECK(distribution.draw(0) == 0);
  CHECK(distribution.draw(0x3FFFFFFF) == 0);
  CHECK(distribution.draw(0x40000000) == 2);  // number 1 is never drawn
  CHECK(distribution.draw(0xBFFFFFFF) == 2);
  CHECK(distribution.draw(0xC0000000) == 3);
  CHECK(distribution.draw(kLastWord) == 3);
}

TEST_CASE("one number alone is always drawn") {
  const std::vector<double> weights{0.25};
  CHECK(DiscreteDistribution(weights).draw(0) == 0);
  CHECK(DiscreteDistribution(weights).draw(kLastWord) == 0);
}

TEST_CASE("a last number of next to no weight leaves the table in order") {
  const std::vector<double> weights{1, 1e-30};
  CHECK(DiscreteDistribution(weights).draw(kLastWord - 1) == 0);
  CHECK(DiscreteDistribution(weights).draw(kLastWord) == 1);
}

TEST_CASE("Zipf's law") {
  for (const double exponent : {1.05, 1.3}) {
    constexpr std::int32_t kNumbers = 8000;
    double total = 0;
    for (int i = 1; i <= kNumbers; ++i) total += std::exp(-exponent * std::log(i));
    const DiscreteDistribution zipf = zipf_distribution(kNumbers, exponent);
    const std::vector<double> found = frequencies(zipf, kNumbers);
    for (const std::size_t i : {0, 1, 2, 9, 99}) {
      const double expected = std::exp(-exponent * std::log(static_cast<double>(i + 1))) / total;
      CHECK(found[i] == doctest::Approx(expected).epsilon(0.02));
    }
    CHECK(zipf.draw(0) == 0);
    CHECK(zipf.draw(kLastWord) == kNumbers - 1);
  }
}

TEST_CASE("a folded normal distribution") {
  constexpr double kMean = 3;
  constexpr double kDeviation = 4;  // large enough that much of it lies below 0
  const std::vector<double> found = frequencies(folded_normal_distribution(40, kMean, kDeviation), 40);
  const auto density = [](double x) {
    return std::exp(-(x - kMean) * (x - kMean) / (2 * kDeviation * kDeviation)) /
           (kDeviation * std::sqrt(2 * 3.14159265358979));
  };
  for (std::size_t i = 0; i < 12; ++i) {
    constexpr int kSteps = 1000;
    double expected = 0;  // integral of the density over [i, i + 1) and its mirror image
    for (int step = 0; step < kSteps; ++step) {
      const double x = static_cast<double>(i) + (step + 0.5) / kSteps;
      expected += (density(x) + density(-x)) / kSteps;
    }
    CHECK(found[i] == doctest::Approx(expected).epsilon(0.002));
  }
}

TEST_CASE("weights that are all 0 are an internal error") {
  const std::vector<double> weights{0, 0};
  check_error(ExitCode::internal, {"no weight above 0"}, [&] { const DiscreteDistribution none(weights); });
}

}  // namespace lockstep
