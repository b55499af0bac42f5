#pragma once

#include <utility>

#include "collective/messages.h"
#include "ps/client.h"
#include "ps/group.h"
#include "ps/message_transfer.h"
#include "ps/patience.h"
#include "ps/ps_messages.h"

namespace lockstep {

// The way of a rank that trains to the parameter servers, with all its parts. The Messages outlive it.
class ServedClient {
 public:
  ServedClient(Messages& messages, PsGroup group, PsPatience patience)
      : group_(std::move(group)),
        messages_(messages),
        transfer_(messages_, group_),
        client_(messages_, transfer_, group_, {}, std::move(patience)) {}
  ServedClient(const ServedClient&) = delete;
  ServedClient& operator=(const ServedClient&) = delete;

  ParameterClient& client() { return client_; }

 private:
  PsGroup group_;
  PsMessages messages_;
  MessageClientTransfer transfer_;
  ParameterClient client_;
};

}  // namespace lockstep
