#include "updates.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <thread>

#include "base/clock.h"
#include "job.h"

namespace lockstep::bench {
namespace {

constexpr std::int64_t kMovedInRound = std::int64_t{256} << 20;  // bytes of gradients
constexpr std::size_t kStalenesses = 64;

// A rank's results of a job that has ended.
struct RankFacts {
  double updates_per_second = 0;  // of the first server
  std::array<std::int64_t, kStalenesses> staleness{};
  std::int64_t batches = 0;  // of a client
  double speed = 0;          // its computations per second
  std::int64_t wrong = 0;
};

// take(), pull(), computation, push() until there is no batch left. The gradients of the step before must have been
// pushed when the computation begins, as in training.
void work(BenchClient& client, double compute_s, RankFacts& facts) {
  double computed_s = 0;
  while (client.take()) {
    client.pull();
    client.wait_pushed();
    if (compute_s > 0) {
      const Stopwatch watch;
      std::this_thread::sleep_for(std::chrono::duration<double>(compute_s));
      computed_s += watch.seconds();
    }
    client.push();
    ++facts.batches;
  }
  client.wait_pushed();
  if (facts.batches > 0) facts.wrong = client.wrong();
  if (computed_s > 0) facts.speed = static_cast<double>(facts.batches) / computed_s;
}

void keep(const PsServed& served, RankFacts& facts) {
  facts.updates_per_second = served.updates_per_second;
  for (std::size_t i = 0; i < served.staleness.size(); ++i) {
    facts.staleness.at(std::min(i, kStalenesses - 1)) += served.staleness[i];
  }
}

// facts: of all ranks, the clients first.
void add(std::span<const RankFacts> facts, std::size_t clients, UpdateTimes& times) {
  times.staleness.resize(kStalenesses, 0);
  times.batches.resize(clients, 0);
  double speeds = 0;
  for (std::size_t client = 0; client < clients; ++client) {
    times.batches[client] += facts[client].batches;
    times.wrong += facts[client].wrong;
    speeds += facts[client].speed;
  }
  const RankFacts& first_server = facts[clients];
  times.per_second.push_back(first_server.updates_per_second);
  if (speeds > 0) times.share.push_back(first_server.updates_per_second / speeds);
  for (std::size_t i = 0; i < kStalenesses; ++i) times.staleness[i] += first_server.staleness[i];
}

}  // namespace

void measure_updates(MpiSession& session, const PsOptions& options, const UpdateCase& c, UpdateTimes& times) {
  const int clients = session.size() - options.servers;
  const std::int64_t usual =
      std::max<std::int64_t>(std::clamp<std::int64_t>(kMovedInRound / c.bytes, 20, 500), 4 * session.size());
  const PsJob job{.transport = c.transport,
                  .servers = options.servers,
                  .bytes = c.bytes,
                  .batches = options.batches.value_or(usual),
                  .max_staleness = c.max_staleness};
  RankFacts facts;
  const PsServed served = run_ps_job(session, job, [&](BenchClient& client) {
    const bool is_slow = client.number() == clients - 1;
    work(client, options.compute_s * (is_slow ? options.slow : 1), facts);
  });
  keep(served, facts);
  add(gather_value(session, facts), static_cast<std::size_t>(clients), times);
}

}  // namespace lockstep::bench
