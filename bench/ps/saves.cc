#include "saves.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <thread>

#include "base/clock.h"
#include "job.h"

namespace lockstep::bench {
namespace {

constexpr std::chrono::seconds kWarmUp{2};  // the first accesses of new memory are slow
constexpr std::chrono::seconds kBefore{2};
constexpr double kSaving = 2;  // seconds, at least

// The phases of client 0, by the clock that the processes of a host share, in ns.
struct SavePhases {
  std::int64_t begin = 0;
  std::int64_t saves = 0;  // begin
  std::int64_t end = 0;
};

// The steps that a client has made in each phase.
struct SaveSteps {
  std::int64_t before = 0;
  std::int64_t beside = 0;
};

SavePhases save_on(BenchClient& client, std::vector<double>& seconds) {
  const std::string path = std::filesystem::temp_directory_path() / "lockstep_bench_save";
  std::this_thread::sleep_for(kWarmUp);
  SavePhases phases{.begin = monotonic_ns()};
  std::this_thread::sleep_for(kBefore);
  phases.saves = monotonic_ns();
  const Stopwatch saving;
  while (saving.seconds() < kSaving) {
    const Stopwatch save;
    client.save(path);
    seconds.push_back(save.seconds());
  }
  phases.end = monotonic_ns();
  client.stop();
  std::filesystem::remove(path);
  return phases;
}

std::vector<std::int64_t> work_on(BenchClient& client, double compute_s) {
  std::vector<std::int64_t> ends;
  while (client.take()) {
    client.pull();
    client.wait_pushed();
    if (compute_s > 0) std::this_thread::sleep_for(std::chrono::duration<double>(compute_s));
    client.push();
    ends.push_back(monotonic_ns());
  }
  client.wait_pushed();
  return ends;
}

SaveSteps steps_in(const SavePhases& phases, const std::vector<std::int64_t>& ends) {
  const auto between = [&](std::int64_t from, std::int64_t to) {
    return std::ranges::count_if(ends, [&](std::int64_t end) { return end >= from && end < to; });
  };
  return {.before = between(phases.begin, phases.saves), .beside = between(phases.saves, phases.end)};
}

}  // namespace

void measure_saves(MpiSession& session, const PsOptions& options, PsTransport transport, std::int64_t bytes,
                   SaveTimes& times) {
  const PsJob job{.transport = transport,
                  .servers = options.servers,
                  .bytes = bytes,
                  .batches = 1'000'000'000};  // more than there is time for
  SavePhases phases;
  std::vector<std::int64_t> ends;
  run_ps_job(session, job, [&](BenchClient& client) {
    if (client.number() == 0) {
      phases = save_on(client, times.seconds);
    } else {
      ends = work_on(client, options.compute_s);
    }
  });
  phases = gather_value(session, phases).front();
  SaveSteps sum;
  for (const SaveSteps& one : gather_value(session, steps_in(phases, ends))) {
    sum.before += one.before;
    sum.beside += one.beside;
  }
  const auto per_second = [](std::int64_t count, std::int64_t begin, std::int64_t end) {
    return static_cast<double>(count) / (static_cast<double>(end - begin) * 1e-9);
  };
  times.before.push_back(per_second(sum.before, phases.begin, phases.saves));
  times.beside.push_back(per_second(sum.beside, phases.saves, phases.end));
}

}  // namespace lockstep::bench
