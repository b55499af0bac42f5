// Measures parameter servers: pulls, pushes, updates of the whole protocol, what a client that computes delays, and
// what a save costs the clients that do not save.
//
//   mpirun -np 4 build/bench/ps --servers=1 --transports=messages,window [--bytes=65536,1048576] [--json]
//   mpirun -np 4 build/bench/ps --measure=updates --compute_ms=10 --slow=4 --max_staleness=none,0,4,8
//
// The last ranks are servers. Transports and bounds take turns in every round, so that all see the same machine.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "delays.h"
#include "options.h"
#include "report.h"
#include "saves.h"
#include "transfers.h"
#include "updates.h"

namespace lockstep::bench {
namespace {

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);  // shows progress of a long run
}

// The measurements of a run, on every rank; rank 0 is client 0 and prints. COLLECTIVE.
class PsRun {
 public:
  PsRun(MpiSession& session, const PsOptions& options)
      : session_(session),
        options_(options),
        ranks_{.clients = session.size() - options.servers, .servers = options.servers} {}

  void transfers() {
    of_transports<TransferTimes>([&] { return transfer_head(ranks_); }, measure_transfers,
                                 [&](PsTransport transport, std::int64_t bytes, const TransferTimes& times) {
                                   wrong_ += times.wrong;
                                   return options_.json ? transfer_json(ranks_, transport, bytes, times)
                                                        : transfer_lines(transport, bytes, times);
                                 });
  }

  void updates() {
    head([&] { return update_head(ranks_, options_); });
    for (const std::int64_t bytes : options_.sizes) {
      std::vector<UpdateCase> cases;
      for (const PsTransport transport : options_.transports) {
        for (const StalenessBound bound : options_.bounds) cases.push_back({transport, bytes, bound});
      }
      std::vector<UpdateTimes> times(cases.size());
      in_rounds([&](std::size_t i) { measure_updates(session_, options_, cases[i], times[i]); }, cases.size());
      for (std::size_t i = 0; is_chief() && i < cases.size(); ++i) {
        print(options_.json ? update_json(ranks_, options_, cases[i], times[i]) : update_line(cases[i], times[i]));
        wrong_ += times[i].wrong;
      }
    }
  }

  // With one client there is none to delay it.
  void delays() {
    if (ranks_.clients == 1) return;
    of_transports<PushDelays>([&] { return delay_head(ranks_); }, measure_delays,
                              [&](PsTransport transport, std::int64_t bytes, const PushDelays& times) {
                                return options_.json ? delay_json(ranks_, transport, bytes, times)
                                                     : delay_line(transport, bytes, times);
                              });
  }

  // With one client there is none beside the one that saves.
  void saves() {
    if (ranks_.clients == 1) return;
    of_transports<SaveTimes>([&] { return save_head(ranks_, options_); }, measure_saves,
                             [&](PsTransport transport, std::int64_t bytes, const SaveTimes& times) {
                               return options_.json ? save_json(ranks_, options_, transport, bytes, times)
                                                    : save_line(transport, bytes, times);
                             });
  }

  std::int64_t wrong() const { return wrong_; }

 private:
  bool is_chief() const { return session_.rank() == 0; }

  void head(const std::function<std::string()>& text) const {
    if (is_chief() && !options_.json) print(text());
  }

  // Measures each size with all transports by turns, and prints what text(transport, bytes, times) makes of the times.
  template <class Times, class Measure, class Text>
  void of_transports(const std::function<std::string()>& head_text, const Measure& measure, const Text& text) {
    head(head_text);
    for (const std::int64_t bytes : options_.sizes) {
      std::vector<Times> times(options_.transports.size());
      in_rounds([&](std::size_t i) { measure(session_, options_, options_.transports[i], bytes, times[i]); },
                times.size());
      for (std::size_t i = 0; is_chief() && i < times.size(); ++i) print(text(options_.transports[i], bytes, times[i]));
    }
  }

  // Calls measure(0) to measure(count - 1) in each round, each round beginning with another one.
  void in_rounds(const std::function<void(std::size_t)>& measure, std::size_t count) const {
    const auto rounds = static_cast<std::size_t>(options_.rounds);
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t turn = 0; turn < count; ++turn) measure((round + turn) % count);
    }
  }

  MpiSession& session_;
  const PsOptions& options_;
  PsRanks ranks_;
  std::int64_t wrong_ = 0;  // on rank 0
};

void run(MpiSession& session, const std::vector<std::string>& args) {
  if (asks_for_help(args)) {
    if (session.rank() == 0) print(flags_help(ps_flags()));
    return;
  }
  const PsOptions options = parse_ps_options(args, session.size());
  PsRun measurements(session, options);
  if (options.transfers) measurements.transfers();
  if (options.updates) measurements.updates();
  if (options.delays) measurements.delays();
  if (options.saves) measurements.saves();
  if (measurements.wrong() != 0) {
    throw Error(ExitCode::internal,
                fmt::format("{} values were wrong; with --json, the lines say whose", measurements.wrong()));
  }
}

// Ends all ranks. An error of every rank is printed by rank 0; the others leave it the time.
[[noreturn]] void end(MpiSession& session, const Error& error) {
  if (error.scope() != Scope::this_rank && session.rank() != 0) std::this_thread::sleep_for(std::chrono::seconds(2));
  fmt::print(stderr, "rank {}: {}\n", session.rank(), error.what());
  session.abort(static_cast<int>(error.code()));
}

}  // namespace
}  // namespace lockstep::bench

// Not run_program(): its job makes no windows.
int main(int argc, char** argv) {
  using namespace lockstep;
  std::optional<MpiSession> session;
  try {
    session.emplace(MpiNeeds{.windows = Windows::any_hosts});
    session->form(0, session->process());
    bench::run(*session, {argv + 1, argv + argc});
    session->finalize();
    return 0;
  } catch (const Error& error) {
    if (session) bench::end(*session, error);
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
}
