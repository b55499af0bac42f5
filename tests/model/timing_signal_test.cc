#include "model/timing_signal.h"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "support/reference_cases.h"

namespace lockstep {
namespace {

std::vector<float> signal(std::int64_t position, std::size_t channels) {
  std::vector<float> row(channels, 7);
  timing_signal(position, row);
  return row;
}

void check_row(const Json& expected, std::int64_t position) {
  CAPTURE(position);
  const Json::Array& values = *expected.as<Json::Array>();
  const std::vector<float> row = signal(position, values.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    CHECK(static_cast<double>(row[i]) == doctest::Approx(*values[i].as<double>()).epsilon(1e-7));
  }
}

}  // namespace

TEST_CASE("positions have tensor2tensor's timing signal") {
  const std::optional<Json> all = reference_cases("t2t_numeric_golden.json");
  if (!all) return;
  const Json& cases = *all->find("timing_signal");
  for (const auto& [position, row] : *cases.find("8ch")->as<Json::Object>()) check_row(row, std::stoll(position));
  check_row(*cases.find("5ch_pos3"), 3);
}

TEST_CASE("the first wavelength of a timing signal is 2 pi, the last one 10000 times as long") {
  CHECK(signal(0, 6) == std::vector<float>{0, 0, 0, 1, 1, 1});
  constexpr std::int64_t kPosition = 31416;
  const std::vector<float> row = signal(kPosition, 6);
  CHECK(static_cast<double>(row[0]) == doctest::Approx(std::sin(31416.0)).epsilon(1e-6));
  CHECK(static_cast<double>(row[1]) == doctest::Approx(std::sin(314.16)).epsilon(1e-6));
  CHECK(static_cast<double>(row[2]) == doctest::Approx(std::sin(3.1416)).epsilon(1e-6));
}

TEST_CASE("a timing signal of one or two channels, and of none") {
  CHECK(signal(5, 0).empty());
  CHECK(signal(5, 1) == std::vector<float>{0});
  CHECK(static_cast<double>(signal(5, 2)[0]) == doctest::Approx(std::sin(5.0)));
}

}  // namespace lockstep
