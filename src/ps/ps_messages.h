#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "collective/messages.h"
#include "ps/message.h"

namespace lockstep {

// Sends and receives the messages of one rank. It keeps a copy of what is being sent, so callers need not, and receives
// short messages whole. The Messages outlive it. One thread.
class PsMessages {
 public:
  struct Received {
    int from = 0;
    PsMessage message;
  };

  explicit PsMessages(Messages& messages) : messages_(messages) {}

  // For large messages, whose memory stays with their sender.
  Messages& messages() { return messages_; }

  void send(int to, int tag, const PsMessage& message) { send(to, tag, bytes_of(message)); }
  // Sends a copy of the bytes.
  void send(int to, int tag, std::span<const std::byte> bytes);
  // Moves on what is on its way; returns whether everything has been sent.
  bool sent();
  // Counts messages on their way to a rank whose process has ended as sent. Keeps their memory, which MPI may still
  // read.
  void forget(int to);

  // The next short message of this tag that is there, of any sender or of one.
  std::optional<Received> receive(int tag);
  std::optional<PsMessage> receive_from(int from, int tag);

 private:
  struct OnItsWay {
    int to = 0;
    std::vector<std::byte> bytes;
    Messages::Started started;
  };

  PsMessage take(const Messages::Arrival& arrival, int tag);

  Messages& messages_;
  std::vector<OnItsWay> on_their_way_;
  std::vector<OnItsWay> forgotten_;
};

}  // namespace lockstep
