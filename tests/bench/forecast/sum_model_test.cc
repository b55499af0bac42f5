#include "sum_model.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "rows.h"

namespace lockstep::bench {
namespace {

using doctest::Approx;

constexpr Link kWire{.round_us = 31, .byte_us = 0.0008};     // 10 Gbit/s
constexpr Link kMemory{.round_us = 0.2, .byte_us = 0.0001};  // 10 GB/s

SumModel true_model() {
  return {.host = kMemory, .between = {{SumBackend::ring, kWire}, {SumBackend::hierarchical, kWire}}};
}

// The timings of hosts that are exactly as the model says.
SumTiming timing(std::optional<SumBackend> backend, std::int64_t bytes, HostGrid grid) {
  const double us = true_model().sum_us(backend.value_or(SumBackend::hierarchical), static_cast<double>(bytes),
                                        WireType::float32, grid);
  return {.backend = backend, .grid = grid, .bytes = bytes, .us = us};
}

std::vector<SumTiming> timings_of(std::optional<SumBackend> backend, HostGrid grid) {
  std::vector<SumTiming> timings;
  for (const std::int64_t bytes : {64, 4096, 32768, 1 << 20, 64 << 20}) timings.push_back(timing(backend, bytes, grid));
  return timings;
}

TEST_CASE("a ring of four hosts sums 64 MB in six rounds and one and a half times the bytes") {
  constexpr double kSize = 64 << 20;
  CHECK(true_model().sum_us(SumBackend::ring, kSize, WireType::float32, {4, 1}) ==
        Approx(6 * 31 + 1.5 * kSize * 0.0008));
  CHECK(true_model().sum_us(SumBackend::hierarchical, kSize, WireType::float32, {4, 8}) ==
        Approx(2 * 31 + 1.5 * kSize * 0.0008 + 2 * (2 * 0.2 + kSize * 0.0001)));
  CHECK(true_model().sum_us(SumBackend::hierarchical, kSize, WireType::float32, {1, 8}) ==
        Approx(2 * 0.2 + kSize * 0.0001));
}

TEST_CASE("a fit to two hosts finds the link that the times were made with") {
  const SumModel model = fit_sums(timings_of(SumBackend::ring, {2, 1}), kMemory);
  REQUIRE(model.between.size() == 1);
  CHECK(model.between.at(SumBackend::ring).round_us == Approx(kWire.round_us));
  CHECK(model.between.at(SumBackend::ring).byte_us == Approx(kWire.byte_us));
  CHECK(model.between.at(SumBackend::ring).gbit() == Approx(10));
}

TEST_CASE("the host's part of hierarchical is fitted to one host, and other hosts are only compared") {
  std::vector<SumTiming> timings = timings_of({}, {1, 8});
  for (const SumTiming& one : timings_of(SumBackend::hierarchical, {2, 8})) timings.push_back(one);
  timings.push_back(timing(SumBackend::hierarchical, 1 << 20, {3, 8}));
  timings.back().us *= 2;

  const SumModel model = fit_sums(timings, {.round_us = 1, .byte_us = 1});
  CHECK(model.host.round_us == Approx(kMemory.round_us));
  CHECK(model.host.byte_us == Approx(kMemory.byte_us));
  CHECK(model.between.at(SumBackend::hierarchical).byte_us == Approx(kWire.byte_us));

  const std::vector<ComparisonRow> rows = compare(timings, model);
  CHECK(rows.front().fitted);
  CHECK(rows.front().error() == Approx(0));
  CHECK_FALSE(rows.back().fitted);
  CHECK(rows.back().error() == Approx(-0.5));
}

TEST_CASE("no link takes less than no time") {
  // Larger sums that take less time: bytes would be negative.
  const std::vector<Sample> samples{{{2, 100}, 0, 50}, {{2, 200}, 0, 40}};
  const Link link = fit_link(samples);
  CHECK(link.byte_us == 0);
  CHECK(link.round_us > 0);
  // One size does not tell rounds from bytes.
  const Link of_one = fit_link(std::vector<Sample>{{{2, 100}, 0, 50}});
  CHECK(of_one.round_us == 0);
  CHECK(of_one.byte_us == Approx(0.5));
  // All of the time is the host's.
  CHECK(fit_link(std::vector<Sample>{{{2, 100}, 60, 50}}).byte_us == 0);
}

TEST_CASE("what is beyond the measured hosts is extrapolated") {
  const std::vector<SumTiming> timings{timing(SumBackend::ring, 64, {2, 1}), timing(SumBackend::ring, 64, {4, 1})};
  CHECK(fewest_hosts(timings, SumBackend::ring) == 2);
  CHECK(fewest_hosts(timings, SumBackend::mpi) == 0);
  const std::vector<HostGrid> grids{{3, 1}, {4, 1}, {5, 1}, {2, 2}};
  const TrainingStep step{.parameters = 1000, .compute_ms = 1, .overlap = {}};
  const std::vector<ForecastRow> rows = forecast(timings, fit_sums(timings, kMemory), step, grids);
  REQUIRE(rows.size() == 4);
  CHECK_FALSE(rows[0].extrapolated);
  CHECK_FALSE(rows[1].extrapolated);
  CHECK(rows[2].extrapolated);
  CHECK(rows[3].extrapolated);
}

constexpr const char* kLine =
    R"({"op": "allreduce", "backend": "ring", "dtype": "float32", "ranks": 2, "hosts": 2, "ranks_per_host": 1, "bytes": 64, "time_us_p50": 7.5})";

std::string replaced(std::string line, const std::string& from, const std::string& to) {
  return line.replace(line.find(from), from.size(), to);
}

TEST_CASE("lines of bench/collective are read, and sums that the model does not know are left out") {
  const std::string text =
      std::string(kLine) + "\n" + replaced(kLine, "ring", "mpi_plain") + "\n\n" +
      replaced(kLine, "allreduce", "broadcast") + "\n" + replaced(kLine, "float32", "float64") + "\n" +
      replaced(replaced(kLine, R"("hosts": 2, "ranks_per_host": 1)", R"("hosts": 1, "ranks_per_host": 2)"), "ring",
               "shm");
  const std::vector<SumTiming> timings = parse_timings(text, "file");
  REQUIRE(timings.size() == 2);
  CHECK(timings[0].backend == SumBackend::ring);
  CHECK(timings[0].grid == HostGrid{2, 1});
  CHECK(timings[0].bytes == 64);
  CHECK(timings[0].us == 7.5);
  CHECK_FALSE(timings[1].backend);
}

TEST_CASE("another form of a line is refused, with its number") {
  const auto refused = [](const std::string& line, const char* why) {
    CAPTURE(line);
    try {
      parse_timings("\n" + line, "file");
      FAIL("it was accepted");
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::bad_data);
      const std::string text = error.what();
      CHECK(text.find("file, line 2: ") == 0);
      CHECK_MESSAGE(text.find(why) != std::string::npos, text);
    }
  };
  refused("all_reduce, float32, 2 rank(s)", "");
  refused("{}", "op");
  refused(replaced(kLine, R"("ranks": 2)", R"("ranks": 3)"), "2 hosts with 1 ranks each");
  refused(replaced(kLine, "7.5", "0"), "a time above 0");
  refused(replaced(kLine, R"("bytes": 64)", R"("bytes": 0)"), "1 or more");
}

}  // namespace
}  // namespace lockstep::bench
