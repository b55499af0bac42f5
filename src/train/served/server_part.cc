#include "train/served/server_part.h"

#include <functional>
#include <memory>
#include <optional>

#include "optim/schedule.h"
#include "ps/added_state.h"
#include "ps/added_transfer.h"
#include "ps/first_server.h"
#include "ps/message_transfer.h"
#include "ps/range_state.h"
#include "ps/server.h"
#include "ps/window_transfer.h"
#include "tensor/backend.h"
#include "train/served/update_order.h"

namespace lockstep {
namespace {

std::unique_ptr<ServerTransfer> make_transfer(PsMessages& messages, const ServedLink& link, int server,
                                              Allocator& memory) {
  const ServedTransport& transport = link.transport;
  if (transport.window == nullptr) {
    return std::make_unique<MessageServerTransfer>(messages, link.group, server, transport.copies, memory);
  }
  if (transport.adds) return std::make_unique<AddedServerTransfer>(*transport.window);
  return std::make_unique<WindowServerTransfer>(*transport.window, link.group, server, transport.copies);
}

}  // namespace

void serve(const TrainSettings& settings, const HParams& hparams, const Registry& registry, const ServedPlan& plan,
           const ServedLink& link) {
  const PsGroup& group = link.group;
  const int server = link.messages.rank() - group.clients;
  const auto backend = make_backend({});
  const auto optimizer = registry.optimizers.find(hparams.text("optimizer")).make(hparams);
  const Schedule schedule(hparams, plan.schedule);
  PsMessages short_messages(link.messages);
  const auto transfer = make_transfer(short_messages, link, server, backend->allocator());
  std::unique_ptr<ServerState> state;
  if (link.transport.adds) {
    state = std::make_unique<AddedState>(*link.transport.window, group.range(server).count());
  } else {
    state = std::make_unique<RangeState>(
        *backend,
        RangeState::Rule{.table = plan.table,
                         .optimizer = *optimizer,
                         .learning_rate = [&schedule](std::int64_t update) { return schedule.at(update); },
                         .gradients = settings.sum_updates,
                         .ema_decay = settings.ema.value_or(0)},
        group.range(server), transfer->copies());
  }
  std::optional<UpdateOrder> order;
  std::optional<FirstServer> first;
  std::function<void()> while_waiting;
  if (server == 0) {
    order.emplace(settings, plan, group);
    first.emplace(short_messages, order->sequencer(), group);
    while_waiting = [&order] { order->while_waiting(); };
  }
  ParameterServer(short_messages, *transfer, *state, group, server, first ? &*first : nullptr, while_waiting,
                  link.patience, link.stop_signal)
      .run();
  if (order) order->finish();
}

}  // namespace lockstep
