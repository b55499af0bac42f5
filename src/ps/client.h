#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ps/account.h"
#include "ps/client_transfer.h"
#include "ps/group.h"
#include "ps/patience.h"
#include "ps/ps_messages.h"
#include "ps/server_pulse.h"
#include "ps/stop_request.h"
#include "tensor/tensor.h"

namespace lockstep {

// A client of parameter servers. A step is take(), pull(), the computation, push(). Client 0 is the chief: it alone may
// begin(), stop() and cut(). Tensors are on the host, and as long as the whole store: values and gradients of
// PsGroup::wire_dtype, states of float32.
//
// begin(), take(), pull(), wait_pushed() and cut() wait for servers, but never for another client's call, except that
// take() waits while the servers' bound on staleness holds it back. leave() waits for all clients. One thread.
class ParameterClient {
 public:
  struct Assignment {
    std::int64_t batch = 0;
    std::int64_t number = 0;  // of the update that made the values to pull
  };
  // Sums over gradients that the servers have added to an update.
  struct Added {
    double loss = 0;
    double weight = 0;
    double norm = 0;
    std::int64_t count = 0;  // number of gradients
  };
  // Facts about a gradient, which is a sum over samples, that the servers need.
  struct PushInfo {
    double factor = 0;  // makes it the mean, clipped
    double weight = 0;  // weight of the samples
    double loss = 0;    // weighted sum of their losses
    double norm = 0;    // norm of the mean, before it is clipped
  };
  struct Cut {
    std::int64_t number = 0;              // number of the update that made the state
    std::int64_t next_batch = 0;          // the first batch that was never handed out
    std::vector<std::int64_t> unapplied;  // batches below it that are not in the state, ascending
  };

  // while_waiting: called again and again while a call waits; may throw. All outlive it. patience: with servers.
  ParameterClient(PsMessages& messages, ClientTransfer& transfer, const PsGroup& group,
                  std::function<void()> while_waiting, PsPatience patience = {});

  // On the chief, before all else: gives the servers their first state, in the order of cut(). optimizer_begun,
  // average_begun: those of RangeState::begin().
  void begin(std::span<const Tensor> state, std::int64_t optimizer_begun, std::int64_t average_begun);

  // Asks for the next batch to work on; nothing when there is none any more. stop_signal: of a request to end the run
  // that has reached this rank, 0 if it was no signal; the chief learns of the first one. REQUIRES: the last batch was
  // pushed.
  std::optional<Assignment> take(std::optional<int> stop_signal = {});
  // On the chief: of the gradients added between the last two answers to take().
  const Added& added() const { return added_; }
  // On the chief: the first request to end the run that has reached another rank, as of the last take().
  const std::optional<PsStopRequest>& asked() const { return asked_; }
  // The number of updates that the servers had made at the last answer to take() or cut().
  std::int64_t updates() const { return updates_; }
  // Fills `values` with those of the last take().
  void pull(const Tensor& values);
  // Starts to bring the gradient of the last take() to the servers. `gradients` stays as it is until wait_pushed().
  void push(const Tensor& gradients, const PushInfo& info);
  // Moves the pushes on. Returns false when the memory of all gradients that were pushed may change.
  bool pushing();
  // Returns when pushing() would return false.
  void wait_pushed();

  // Fills `state` with that of the servers after one and the same update: the values, then each of the optimizer's
  // slots, then the moving average if there is one.
  Cut cut(std::span<const Tensor> state);
  // On the chief: asks the servers for an account of the run so far, unless one is on its way. Waits for nothing.
  void ask_account();
  // On the chief: the newest account that has come. After cut() that is one which was asked for there.
  const PsAccount& account();
  // From now on take() gives nothing more to any client.
  void stop();
  // Ends: returns when every client has left. After this the client may be destroyed, and its Messages closed.
  void leave();

 private:
  std::int32_t client() const { return messages_.messages().rank(); }
  void ask(PsMessage::Kind kind);
  PsMessage answer();  // of the first server
  // Waits until all are done.
  void wait(std::vector<Messages::Started> transfers);
  // Waits until done() returns true.
  void wait(const std::function<bool()>& done);
  bool receive_account();
  bool read_ready(int server, std::int64_t number, const Tensor& values);

  PsMessages& messages_;
  ClientTransfer& transfer_;
  const PsGroup& group_;
  std::function<void()> while_waiting_;
  ServerPulse pulse_;
  std::optional<Assignment> assignment_;  // taken and not yet pushed
  Added added_;
  std::optional<PsStopRequest> asked_;
  PsAccount account_;
  bool account_asked_ = false;  // one is on its way
  std::int64_t updates_ = 0;
  std::int32_t slot_ = 0;  // mailbox of the next push
  bool left_ = false;
};

}  // namespace lockstep
