#include "job.h"

#include <memory>
#include <optional>

#include "announcing_transfer.h"
#include "base/clock.h"
#include "base/error.h"
#include "collective/mpi/mpi_messages.h"
#include "collective/mpi/mpi_window.h"
#include "optim/optimizers.h"
#include "ps/added_state.h"
#include "ps/added_transfer.h"
#include "ps/coordinator.h"
#include "ps/first_server.h"
#include "ps/key_ranges.h"
#include "ps/message_transfer.h"
#include "ps/range_state.h"
#include "ps/server.h"
#include "ps/window_transfer.h"
#include "tensor/cpu/cpu_backend.h"
#include "timed_sequencer.h"

namespace lockstep::bench {
namespace {

std::function<void()> deadline() {
  return [watch = Stopwatch()] { LS_CHECK(watch.seconds() < 600, "a job of bench/ps takes longer than ten minutes"); };
}

ParameterTable table_of(const PsJob& job) {
  ParameterTable table;
  table.add("values", {job.bytes / static_cast<std::int64_t>(sizeof(float))}, false);
  return table;
}

double bench_rate(std::int64_t /*update*/) { return kBenchRate; }

// As many as the servers of training have (train/served).
int copies_of(const PsGroup& group) { return group.clients == 1 ? 2 : 3; }

std::int64_t window_bytes(const PsJob& job, const PsGroup& group, int rank) {
  if (rank < group.clients) return 0;
  const std::int64_t count = group.range(rank - group.clients).count();
  if (job.transport == PsTransport::accumulate) return count * static_cast<std::int64_t>(sizeof(float));
  return WindowLayout(count, copies_of(group), group.clients, group.wire_dtype).bytes();
}

std::unique_ptr<ServerTransfer> server_transfer(const PsJob& job, PsMessages& messages, Window* window,
                                                const PsGroup& group, int server, Allocator& memory) {
  const int copies = copies_of(group);
  if (job.transport == PsTransport::accumulate) return std::make_unique<AddedServerTransfer>(*window);
  if (window != nullptr) return std::make_unique<WindowServerTransfer>(*window, group, server, copies);
  return std::make_unique<MessageServerTransfer>(messages, group, server, copies, memory);
}

PsServed run_server(const PsJob& job, PsMessages& messages, Window* window, const PsGroup& group, int server) {
  const auto backend = make_cpu_backend();
  const auto optimizer = make_sgd(sgd_hparams());
  const auto transfer = server_transfer(job, messages, window, group, server, backend->allocator());
  AnnouncingTransfer announcing(messages, *transfer);
  const ParameterTable table = table_of(job);
  std::unique_ptr<ServerState> state;
  if (job.transport == PsTransport::accumulate) {
    state = std::make_unique<AddedState>(*window, group.range(server).count());
  } else {
    state = std::make_unique<RangeState>(
        *backend, RangeState::Rule{.table = table, .optimizer = *optimizer, .learning_rate = bench_rate},
        group.range(server), transfer->copies());
  }
  Coordinator coordinator({.clients = group.clients, .max_staleness = job.max_staleness, .last_update = job.batches},
                          BatchLedger(0, job.batches));
  TimedSequencer sequencer(coordinator);
  FirstServer first(messages, sequencer, group);
  ServerTransfer& used = job.announces ? static_cast<ServerTransfer&>(announcing) : *transfer;
  ParameterServer(messages, used, *state, group, server, server == 0 ? &first : nullptr, deadline()).run();
  if (server != 0) return {};
  return {.updates_per_second = sequencer.updates_per_second(), .staleness = sequencer.staleness()};
}

void run_client(const PsJob& job, PsMessages& messages, Window* window, const PsGroup& group, bool shares_clock,
                const std::function<void(BenchClient&)>& body) {
  const bool adds = job.transport == PsTransport::accumulate;
  std::unique_ptr<ClientTransfer> transfer;
  if (adds) {
    transfer = std::make_unique<AddedClientTransfer>(messages, *window, group, table_of(job), bench_rate);
  } else if (window != nullptr) {
    transfer = std::make_unique<WindowClientTransfer>(messages, *window, group, copies_of(group));
  } else {
    transfer = std::make_unique<MessageClientTransfer>(messages, group);
  }
  ParameterClient client(messages, *transfer, group, deadline());
  BenchClient bench_client(messages, client, *transfer, group, shares_clock, adds);
  body(bench_client);
  bench_client.leave();
}

}  // namespace

PsServed run_ps_job(MpiSession& session, const PsJob& job, const std::function<void(BenchClient&)>& client) {
  const PsGroup group{.clients = session.size() - job.servers, .ranges = key_ranges(table_of(job), true, job.servers)};
  const auto messages = make_mpi_messages(session);
  std::unique_ptr<Window> window;
  if (job.transport != PsTransport::messages) {
    window = make_mpi_window(session, window_bytes(job, group, session.rank()));
  }
  PsServed served;
  {
    PsMessages ps_messages(*messages);
    if (session.rank() < group.clients) {
      run_client(job, ps_messages, window.get(), group, session.local_size() == session.size(), client);
    } else {
      served = run_server(job, ps_messages, window.get(), group, session.rank() - group.clients);
    }
  }
  if (window) window->close();
  messages->close();
  return served;
}

}  // namespace lockstep::bench
