#pragma once

#include <cstdint>
#include <memory>

#include "base/hparams.h"
#include "optim/schedule.h"
#include "ps/added_transfer.h"
#include "ps/client.h"
#include "ps/group.h"
#include "ps/message_transfer.h"
#include "ps/ps_messages.h"
#include "ps/window_transfer.h"
#include "train/served/served_link.h"
#include "train/served/served_plan.h"

namespace lockstep {

// A training rank's connection to the parameter servers: messages, transfer and client. What the link refers to, except
// its group, outlives it.
class ServedClient {
 public:
  ServedClient(const ServedLink& link, const HParams& hparams, const ServedPlan& plan)
      : group_(link.group),
        messages_(link.messages),
        transfer_(make_transfer(link.transport, hparams, plan)),
        client_(messages_, *transfer_, group_, {}, link.patience) {}
  ServedClient(const ServedClient&) = delete;
  ServedClient& operator=(const ServedClient&) = delete;

  ParameterClient& client() { return client_; }

 private:
  std::unique_ptr<ClientTransfer> make_transfer(const ServedTransport& transport, const HParams& hparams,
                                                const ServedPlan& plan) {
    if (transport.window == nullptr) return std::make_unique<MessageClientTransfer>(messages_, group_);
    if (transport.adds) {
      const auto rate = [schedule = Schedule(hparams, plan.schedule)](std::int64_t update) {
        return schedule.at(update);
      };
      return std::make_unique<AddedClientTransfer>(messages_, *transport.window, group_, plan.table, rate);
    }
    return std::make_unique<WindowClientTransfer>(messages_, *transport.window, group_, transport.copies);
  }

  PsGroup group_;
  PsMessages messages_;
  std::unique_ptr<ClientTransfer> transfer_;
  ParameterClient client_;
};

}  // namespace lockstep
