#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "collective/wire_copy.h"
#include "optim/optimizers.h"
#include "ps/client.h"
#include "ps/stop_request.h"
#include "support/ranks.h"
#include "tensor/backend.h"
#include "tensor/parameter_table.h"

// Small jobs with parameter servers over the ranks of a test world: the last ranks are servers, the others clients.
namespace lockstep {

struct TestJob {
  int servers = 1;
  int sum = 1;                                  // gradients in an update
  std::optional<std::int64_t> max_staleness{};  // none: no bound
  std::int64_t batches = 12;                    // of all clients, in this job
  int copies = 2;                               // of a server's values
  bool window = false;                          // the transfer: a window or messages
  bool adds = false;                            // clients add their updates to the values in a window
  std::shared_ptr<const Optimizer> optimizer{};
  std::function<double(std::int64_t)> learning_rate = [](std::int64_t) { return 1.0; };
  std::function<float(std::int64_t)> start = [](std::int64_t) { return 0.0F; };  // values at first, by flat index
  double ema_decay = 0;                                                          // 0: no moving average
  DType wire_dtype = DType::float32;                                             // in which values and gradients travel

  PsPatience patience{};
  std::optional<PsStopRequest> request{};  // reaches that rank at once, none of the others; not the chief
  bool loses_client = false;               // messages of a client that was lost remain at the end

  // A job that goes on where another one ended.
  std::vector<std::vector<float>> first_state{};  // values, slots, average; empty: this is no such job
  std::int64_t first_batch = 0;
  std::int64_t optimizer_begun = 0;
  std::int64_t average_begun = 0;
};

// Variables of odd sizes, with and without weight decay, and a constant: 7 * 5, 5, 3 (the constant), 5 * 9, 9, 5003.
// Parts of a third are longer than messages that are sent at once.
ParameterTable test_job_table();
// The flat indices of all elements of variables that are trained: 5097 of them.
std::vector<std::int64_t> trained_elements(const ParameterTable& table);

PsGroup test_job_group(const RankContext& context, const TestJob& job);

// The state that a job begins with: values, slots, average.
std::vector<std::vector<float>> first_state_of(const TestJob& job);

// A client in a job.
class TestClient {
 public:
  TestClient(const TestJob& job, Messages& messages, ParameterClient& client);

  // take(), with the job's request if it is this rank's, and pull() into values.
  std::optional<ParameterClient::Assignment> begin();
  void push(const ParameterClient::PushInfo& info);
  // REQUIRES: gradients travel as they are.
  void push(std::vector<float>& other, const ParameterClient::PushInfo& info);
  ParameterClient::Cut cut();
  // Gives the servers `state`, for run_test_job().
  void give_state();

  const TestJob& job;
  Messages& messages;
  ParameterClient& client;
  ParameterTable table = test_job_table();
  std::vector<float> values;
  std::vector<float> gradients;
  std::vector<std::vector<float>> state;  // the job's first, then that of the last cut()

 private:
  FlatRange all() const { return {0, table.padded_count()}; }
  std::vector<Tensor> state_tensors();

  std::unique_ptr<Backend> backend_;
  WireCopy wire_values_;
  WireCopy wire_gradients_;
};

// Runs a job: calls `client` on each client, which leaves by itself. Every wait ends with an Error after 30 s. After
// the servers' run(), calls `served` on each server, if it is given. COLLECTIVE over the context's communicator.
void run_test_job(RankContext& context, const TestJob& job, const std::function<void(TestClient&)>& client,
                  const std::function<void()>& served = {});

// Calls body with jobs of 1, 2 and 3 servers and both transfers, on worlds of threads and, under mpirun, on its world;
// as many as leave a client.
void for_test_jobs(const std::function<void(RankContext&, TestJob)>& body);

}  // namespace lockstep
