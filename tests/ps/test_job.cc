#include "ps/test_job.h"

#include <algorithm>

#include "base/clock.h"
#include "base/error.h"
#include "collective/messages.h"
#include "collective/window.h"
#include "ps/added_state.h"
#include "ps/added_transfer.h"
#include "ps/coordinator.h"
#include "ps/key_ranges.h"
#include "ps/message_transfer.h"
#include "ps/range_state.h"
#include "ps/server.h"
#include "ps/window_transfer.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

std::function<void()> deadline() {
  return [watch = Stopwatch()] { LS_CHECK(watch.seconds() < 30, "a wait took longer than 30 s"); };
}

std::int64_t window_bytes(const TestJob& job, const PsGroup& group, int rank) {
  if (rank < group.clients) return 0;
  const std::int64_t count = group.range(rank - group.clients).count();
  if (job.adds) return count * static_cast<std::int64_t>(sizeof(float));
  return WindowLayout(count, job.copies, group.clients, group.wire_dtype).bytes();
}

// The signal of the job's request on the rank that it reaches.
std::optional<int> stop_signal_at(int rank, const TestJob& job) {
  if (!job.request || job.request->rank != rank) return std::nullopt;
  return job.request->signal;
}

Tensor tensor_of(std::vector<float>& numbers) { return {numbers.data(), DType::float32, {std::ssize(numbers)}}; }

void run_test_server(const TestJob& job, PsMessages& messages, Window* window, const PsGroup& group, int server) {
  const auto backend = make_cpu_backend();
  std::unique_ptr<ServerTransfer> transfer;
  if (job.adds) {
    transfer = std::make_unique<AddedServerTransfer>(*window);
  } else if (window != nullptr) {
    transfer = std::make_unique<WindowServerTransfer>(*window, group, server, job.copies);
  } else {
    transfer = std::make_unique<MessageServerTransfer>(messages, group, server, job.copies, backend->allocator());
  }
  const ParameterTable table = test_job_table();
  std::unique_ptr<ServerState> state;
  if (job.adds) {
    state = std::make_unique<AddedState>(*window, group.range(server).count());
  } else {
    state = std::make_unique<RangeState>(*backend,
                                         RangeState::Rule{.table = table,
                                                          .optimizer = *job.optimizer,
                                                          .learning_rate = job.learning_rate,
                                                          .gradients = job.sum,
                                                          .ema_decay = job.ema_decay},
                                         group.range(server), transfer->copies());
  }
  Coordinator coordinator({.clients = group.clients,
                           .max_staleness = job.max_staleness,
                           .sum = job.sum,
                           .first_update = job.first_batch / job.sum,
                           .last_update = (job.first_batch + job.batches) / job.sum,
                           .quiet_cuts = job.adds},
                          BatchLedger(job.first_batch, job.batches));
  FirstServer first(messages, coordinator, group);
  ParameterServer(messages, *transfer, *state, group, server, server == 0 ? &first : nullptr, deadline(), job.patience,
                  [&] { return stop_signal_at(group.rank_of(server), job); })
      .run();
}

void run_test_client(const TestJob& job, PsMessages& messages, Window* window, const PsGroup& group,
                     const std::function<void(TestClient&)>& body) {
  std::unique_ptr<ClientTransfer> transfer;
  if (job.adds) {
    transfer = std::make_unique<AddedClientTransfer>(messages, *window, group, test_job_table(), job.learning_rate);
  } else if (window != nullptr) {
    transfer = std::make_unique<WindowClientTransfer>(messages, *window, group, job.copies);
  } else {
    transfer = std::make_unique<MessageClientTransfer>(messages, group);
  }
  ParameterClient client(messages, *transfer, group, deadline(), job.patience);
  TestClient test_client(job, messages.messages(), client);
  if (test_client.messages.rank() == 0) test_client.give_state();
  body(test_client);
}

}  // namespace

ParameterTable test_job_table() {
  ParameterTable table;
  table.add("a/kernel", {7, 5}, true);
  table.add("a/bias", {5}, false);
  table.add_constant("constant", {3});
  table.add("b/kernel", {5, 9}, true);
  table.add("b/bias", {9}, false);
  table.add("c", {5003}, true);
  return table;
}

std::vector<std::int64_t> trained_elements(const ParameterTable& table) {
  std::vector<std::int64_t> elements;
  for (const Variable& variable : table.variables()) {
    if (!variable.trainable) continue;
    for (std::int64_t i = variable.range.begin; i < variable.range.end; ++i) elements.push_back(i);
  }
  return elements;
}

PsGroup test_job_group(const RankContext& context, const TestJob& job) {
  return {.clients = context.communicator.size() - job.servers,
          .ranges = key_ranges(test_job_table(), job.optimizer->sliceable(), job.servers),
          .wire_dtype = job.wire_dtype};
}

std::vector<std::vector<float>> first_state_of(const TestJob& job) {
  if (!job.first_state.empty()) return job.first_state;
  const std::size_t averages = job.ema_decay > 0 ? 1 : 0;
  const auto count = static_cast<std::size_t>(test_job_table().padded_count());
  std::vector<std::vector<float>> state(1 + job.optimizer->slots().size() + averages, std::vector<float>(count));
  for (std::size_t i = 0; i < count; ++i) state.front()[i] = job.start(static_cast<std::int64_t>(i));
  if (averages > 0) state.back() = state.front();
  return state;
}

TestClient::TestClient(const TestJob& test_job, Messages& all_messages, ParameterClient& parameter_client)
    : job(test_job),
      messages(all_messages),
      client(parameter_client),
      values(static_cast<std::size_t>(table.padded_count())),
      gradients(values.size()),
      state(first_state_of(test_job)),
      backend_(make_cpu_backend()),
      wire_values_(backend_->allocator(), *backend_, tensor_of(values), job.wire_dtype),
      wire_gradients_(backend_->allocator(), *backend_, tensor_of(gradients), job.wire_dtype) {}

std::optional<ParameterClient::Assignment> TestClient::begin() {
  const auto assignment = client.take(stop_signal_at(messages.rank(), job));
  if (!assignment) return assignment;
  client.pull(wire_values_.tensor());
  wire_values_.widen(all());
  return assignment;
}

void TestClient::push(const ParameterClient::PushInfo& info) { client.push(wire_gradients_.narrowed(all()), info); }

void TestClient::push(std::vector<float>& other, const ParameterClient::PushInfo& info) {
  client.push(tensor_of(other), info);
}

ParameterClient::Cut TestClient::cut() { return client.cut(state_tensors()); }

void TestClient::give_state() { client.begin(state_tensors(), job.optimizer_begun, job.average_begun); }

std::vector<Tensor> TestClient::state_tensors() {
  std::vector<Tensor> tensors;
  for (std::vector<float>& numbers : state) tensors.push_back(tensor_of(numbers));
  return tensors;
}

void run_test_job(RankContext& context, const TestJob& job, const std::function<void(TestClient&)>& client,
                  const std::function<void()>& served) {
  const int rank = context.communicator.rank();
  const PsGroup group = test_job_group(context, job);
  const auto messages = make_messages(context);
  const auto window = job.window || job.adds ? make_window(context, window_bytes(job, group, rank)) : nullptr;
  {
    PsMessages ps_messages(*messages);
    if (rank < group.clients) {
      run_test_client(job, ps_messages, window.get(), group, client);
    } else {
      run_test_server(job, ps_messages, window.get(), group, rank - group.clients);
      if (served) served();
    }
  }
  if (window) window->close();
  job.loses_client ? meet(context.communicator) : messages->close();
}

void for_test_jobs(const std::function<void(RankContext&, TestJob)>& body) {
  for_rank_contexts([&](RankContext& context) {
    for (int servers = 1; servers <= std::min(3, context.communicator.size() - 1); ++servers) {
      for (const bool window : {false, true}) body(context, {.servers = servers, .window = window});
    }
  });
}

}  // namespace lockstep
