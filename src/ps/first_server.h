#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "ps/group.h"
#include "ps/patience.h"
#include "ps/ps_messages.h"
#include "ps/sequencer.h"
#include "ps/stop_request.h"

namespace lockstep {

// The work of the first server alone: it tells the Sequencer what clients ask for and which gradients are whole, sends
// the Sequencer's commands to the other servers, and answers clients. One thread.
class FirstServer {
 public:
  // All outlive it.
  FirstServer(PsMessages& messages, Sequencer& sequencer, const PsGroup& group);

  // Takes a client's `want`, `cut`, `stop` or `leave`.
  void request(const PsMessage& message);
  // Takes a client's `pushed`, which goes to every server.
  void pushed(const PsMessage& message);
  // The gradient in this mailbox is whole at one more server.
  void arrived(int client, int slot);
  // A rank other than the chief was asked to end the run. The chief hears of the first one with its next batch.
  void asked_to_stop(const PsStopRequest& request);

  // The process of a client has ended. Tells the other servers, and returns the batches that are handed out again;
  // nothing if the client had left.
  std::optional<std::vector<std::int64_t>> lose(int client);

  // To be called about once a second. Throws Error(internal) that names a client which has had a batch for longer than
  // the patience lasts, if it is the chief, as nobody else saves, or if another one has waited for a batch or a cut for
  // as long. Time is counted in calls, so that a job which is suspended as a whole blames nobody when it goes on.
  void look_at_clients(const PsPatience& patience);

  // Answers the chief's `account` with its numbers.
  void send_counts();

  // The next command for the servers, which the others have been sent; nothing until something comes from a client or a
  // server.
  std::optional<PsMessage> next();

 private:
  // A gradient on its way to all servers.
  struct Push {
    PsMessage message;
    int arrived = 0;  // number of servers at which it is whole
  };

  // The look since which a client has waited for a batch or a cut, and the one since which it has had a batch; none: it
  // does not.
  struct Client {
    std::optional<std::int64_t> wants{};
    std::optional<std::int64_t> works{};
    std::int64_t batch = 0;
  };

  bool is_lost(int client) const { return sequencer_.lost().at(static_cast<std::size_t>(client)) > 0; }
  void note(const PsMessage& command);
  void tell_of_request();
  void answer_cut(const PsMessage& save);

  PsMessages& messages_;
  Sequencer& sequencer_;
  const PsGroup& group_;
  std::vector<std::array<Push, 2>> pushes_;  // of each client and slot
  std::vector<Client> clients_;
  std::optional<PsStopRequest> asked_;  // the first
  bool told_ = false;                   // the chief knows of it
  std::int64_t looks_ = 0;              // at the clients
};

}  // namespace lockstep
