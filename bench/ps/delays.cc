#include "delays.h"

#include <chrono>
#include <thread>

#include "base/clock.h"
#include "job.h"

namespace lockstep::bench {
namespace {

constexpr std::chrono::seconds kComputation{1};
// The part of it in which client 0 is timed.
constexpr double kFrom = 0.1;
constexpr double kUntil = 0.9;

void push_on(BenchClient& client, std::vector<double>& times) {
  const Stopwatch since_start;
  while (since_start.seconds() < kUntil) {
    client.take();
    client.pull();
    const double seconds = client.push_until_whole();
    if (since_start.seconds() > kFrom) times.push_back(seconds);
  }
}

void sleep_long(BenchClient& client, bool has_batch) {
  if (has_batch) {
    client.take();
    client.pull();
  }
  std::this_thread::sleep_for(kComputation);
  if (has_batch) client.push_until_whole();
}

}  // namespace

void measure_delays(MpiSession& session, const PsOptions& options, PsTransport transport, std::int64_t bytes,
                    PushDelays& delays) {
  const PsJob job{.transport = transport,
                  .servers = options.servers,
                  .bytes = bytes,
                  .batches = 1'000'000'000,  // more than a second has time for
                  .announces = true};
  for (const bool beside : {true, false}) {
    run_ps_job(session, job, [&](BenchClient& client) {
      if (client.number() == 0) {
        push_on(client, beside ? delays.beside : delays.alone);
      } else {
        sleep_long(client, beside);
      }
    });
  }
}

}  // namespace lockstep::bench
