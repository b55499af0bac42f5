#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <vector>

#include "base/clock.h"
#include "ps/account.h"
#include "ps/first_server.h"
#include "ps/group.h"
#include "ps/patience.h"
#include "ps/ps_messages.h"
#include "ps/server_state.h"
#include "ps/server_transfer.h"
#include "ps/stop_request.h"

namespace lockstep {

// A server: takes gradients, tells the first server which are whole, and obeys its commands, in their order, with its
// own range of the store.
class ParameterServer {
 public:
  // first: of server 0; null at the others. state's copies are transfer's. while_waiting: called again and again while
  // there is nothing to do; may throw. All outlive it. patience: with clients that hold others up. stop_signal: of
  // requests to end the run that reach this rank, for the chief.
  ParameterServer(PsMessages& messages, ServerTransfer& transfer, ServerState& state, const PsGroup& group, int server,
                  FirstServer* first, std::function<void()> while_waiting, PsPatience patience = {},
                  PsStopSignal stop_signal = {});

  // Takes the first state from the chief, then serves until all clients have left and everything that was sent has been
  // received.
  void run();

 private:
  void take_first_state();
  // Each does what there is to do now, and returns whether there was something.
  bool take_messages();
  bool take_transfers();
  bool obey_stream();

  void arrived(ServerTransfer::Gradient gradient);
  void from_client(const PsMessages::Received& received);
  void from_server(const PsMessages::Received& received);
  // Returns false if the command has to wait until a client has read its values.
  bool obey(const PsMessage& command);
  void deliver(const PsMessage& command);
  void save(int client);
  void send_account();
  // Bytes of its part of the values or of a gradient, as they travel.
  std::int64_t range_bytes() const {
    return group_.range(server_).count() * static_cast<std::int64_t>(size_of(group_.wire_dtype));
  }
  // On the first server: looks for clients whose process has ended.
  void look_for_lost();
  // The process of a client has ended: nothing of it is waited for any more.
  void forget(int client);
  // Throws Error(internal) if a client has held others up for too long.
  void look_at_clients();
  // Fails for a message that nobody expects.
  [[noreturn]] void refuse(const PsMessages::Received& received) const;

  PsMessages& messages_;
  ServerTransfer& transfer_;
  ServerState& state_;
  const PsGroup& group_;
  int server_;
  FirstServer* first_;
  std::function<void()> while_waiting_;
  Stopwatch since_begin_;
  PsAccount::Server account_;  // but for its seconds
  PsPatience patience_;
  PsStopSignal stop_signal_;
  std::vector<bool> lost_;  // by client
  std::chrono::steady_clock::time_point looked_for_lost_{};
  std::chrono::steady_clock::time_point looked_{};
  std::int64_t waits_ = 0;        // looks, a second apart, at which a command waited, since one at which none did
  std::deque<PsMessage> stream_;  // commands to obey
  bool ended_ = false;
};

}  // namespace lockstep
