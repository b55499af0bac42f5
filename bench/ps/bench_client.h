#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ps/client.h"
#include "ps/client_transfer.h"
#include "ps/group.h"
#include "ps/ps_messages.h"
#include "tensor/allocator.h"
#include "tensor/tensor.h"

namespace lockstep::bench {

// The learning rate of the jobs that BenchClient checks: all values are exact.
inline constexpr double kBenchRate = 0x1p-20;

// A client of a job whose values begin with zeros and whose updates are plain SGD with kBenchRate. Its gradients are
// always the same, so that it knows the values after any number of updates. One thread.
class BenchClient {
 public:
  // shares_clock: all ranks are on one host. adds: clients add their updates by themselves, so that values may be later
  // ones than were counted. All outlive it. On client 0, gives the servers their first state.
  BenchClient(PsMessages& messages, ParameterClient& client, ClientTransfer& transfer, const PsGroup& group,
              bool shares_clock, bool adds);

  int number() const { return messages_.messages().rank(); }

  // Returns false when there is no further batch.
  bool take();
  void pull() { client_.pull(values_); }
  void push() { client_.push(gradients_, {.factor = 1, .weight = 1}); }
  void wait_pushed() { client_.wait_pushed(); }
  // Pushes, waits until every server has the gradient whole, and returns the seconds until then: by the clock that
  // processes of one host share, or, if there are several hosts, until the client has been told. REQUIRES: servers that
  // announce.
  double push_until_whole();
  // On client 0: fetches the state of all servers and writes it into a file, which is durable on return.
  void save(const std::string& path);
  // On client 0: no client gets a batch any more.
  void stop() { client_.stop(); }
  void leave() { client_.leave(); }

  // Copies the gradients to memory that is used for nothing else.
  void copy();
  // The number of values of the last pull() that are wrong.
  std::int64_t wrong() const;

 private:
  PsMessages& messages_;
  ParameterClient& client_;
  ClientTransfer& transfer_;
  const PsGroup& group_;
  bool shares_clock_;
  bool adds_;
  HostAllocator allocator_;
  Buffer value_memory_;
  Buffer gradient_memory_;
  Buffer copy_memory_;
  Tensor values_;
  Tensor gradients_;
  std::int64_t updates_ = 0;  // those that made the values of the last take()
};

}  // namespace lockstep::bench
