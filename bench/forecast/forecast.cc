// Forecasts the time and the efficiency of a training step on many hosts, from sums that were measured on a few.
//
//   mpirun -np 2 -H host1,host2 build/bench/collective --backends=ring,mpi --json > two_hosts
//   build/bench/forecast --timings=two_hosts --parameters=213000000 --compute_ms=1000 [--json]
//   build/bench/forecast --link_gbit=10,25,100 --ranks_per_host=8 --parameters=213000000 --compute_ms=1000
//
// The model is that of link.h: rounds of an algorithm times a latency and bytes times the time of one, fitted to two
// hosts. Timings of other numbers of hosts show how wrong it is. What lies beyond all of them is marked extrapolated.
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "../program.h"
#include "base/error.h"
#include "base/input_file.h"
#include "options.h"
#include "report.h"

namespace lockstep::bench {
namespace {

std::vector<SumTiming> read_timings(std::span<const std::string> files) {
  std::vector<SumTiming> timings;
  for (const std::string& file : files) {
    const auto of_file = parse_timings(read_file(file, {.kind = FileRules::Kind::stream}), file);
    timings.insert(timings.end(), of_file.begin(), of_file.end());
  }
  return timings;
}

void print(const ForecastOptions& options, std::span<const SumTiming> timings, const SumModel& model) {
  const std::vector<ComparisonRow> comparison = compare(timings, model);
  std::fputs((options.json ? links_json : links_table)(model, comparison).c_str(), stdout);
  if (!options.step) return;
  const std::vector<ForecastRow> rows = forecast(timings, model, *options.step, options.grids);
  const std::string text =
      options.json ? forecast_json(model, *options.step, rows) : forecast_table(*options.step, rows);
  std::fputs(text.c_str(), stdout);
}

void run(const ForecastOptions& options) {
  const Link host{.round_us = 0, .byte_us = 1e-3 / options.host_gbs};
  // If links alone are given, the backend is our own for such hosts.
  const SumBackend best = options.grids.front().ranks_per_host == 1 ? SumBackend::ring : SumBackend::hierarchical;
  for (const double gbit : options.link_gbit) {
    const Link link{.round_us = options.latency_us, .byte_us = 8e-3 / gbit};
    print(options, {}, {.host = host, .between = {{best, link}}});
  }
  if (options.timings.empty()) return;
  const std::vector<SumTiming> timings = read_timings(options.timings);
  const SumModel model = fit_sums(timings, host);
  if (model.between.empty()) {
    throw Error(ExitCode::bad_data,
                "--timings: no all-reduces of float32 by ring, mpi or hierarchical on two hosts or more; measure them "
                "with bench/collective --backends=ring,mpi --json",
                Scope::every_rank);
  }
  print(options, timings, model);
}

}  // namespace
}  // namespace lockstep::bench

int main(int argc, char** argv) {
  namespace bench = lockstep::bench;
  return bench::run_program(argc, argv, bench::forecast_flags(),
                            [](std::span<const std::string> args, lockstep::Job& job) {
                              const bench::ForecastOptions options = bench::parse_forecast_options(args);
                              if (job.rank() == 0) bench::run(options);
                            });
}
