#include "transfers.h"

#include <algorithm>
#include <functional>

#include "base/clock.h"
#include "job.h"

namespace lockstep::bench {
namespace {

constexpr std::int64_t kMovedInRound = std::int64_t{128} << 20;  // bytes, each way

double seconds_of(const std::function<void()>& call) {
  const Stopwatch watch;
  call();
  return watch.seconds();
}

// The memcpy after a push also gives servers time for the update, for which the next pull would wait.
void take_turn(BenchClient& client, TransferTimes& times) {
  client.take();
  times.pull.seconds.push_back(seconds_of([&] { client.pull(); }));
  times.pull.memcpy_seconds.push_back(seconds_of([&] { client.copy(); }));
  times.push.seconds.push_back(client.push_until_whole());
  times.push.memcpy_seconds.push_back(seconds_of([&] { client.copy(); }));
}

}  // namespace

void measure_transfers(MpiSession& session, const PsOptions& options, PsTransport transport, std::int64_t bytes,
                       TransferTimes& times) {
  const std::int64_t turns = std::clamp<std::int64_t>(kMovedInRound / bytes, 4, 100);
  const PsJob job{.transport = transport,
                  .servers = options.servers,
                  .bytes = bytes,
                  .batches = turns + 2,  // two that are not counted, for which pages are touched first
                  .announces = true};
  run_ps_job(session, job, [&](BenchClient& client) {
    if (client.number() != 0) return;
    TransferTimes uncounted;
    take_turn(client, uncounted);
    take_turn(client, uncounted);
    for (std::int64_t i = 0; i < turns; ++i) take_turn(client, times);
    times.wrong += client.wrong();
  });
}

}  // namespace lockstep::bench
