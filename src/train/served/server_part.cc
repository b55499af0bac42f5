#include "train/served/server_part.h"

#include <memory>
#include <optional>

#include "optim/schedule.h"
#include "ps/coordinator.h"
#include "ps/first_server.h"
#include "ps/message_transfer.h"
#include "ps/range_state.h"
#include "ps/server.h"
#include "tensor/backend.h"

namespace lockstep {
namespace {

// With one copy more than clients, no update would wait for a client that reads the values; these waits are short, and
// a third copy makes them rare.
int copies_for(const PsGroup& group) { return group.clients == 1 ? 2 : 3; }

SequencerOptions decisions(const TrainSettings& settings, const ServedPlan& plan, const PsGroup& group) {
  return {.clients = group.clients,
          .max_staleness = settings.max_staleness,
          .first_update = plan.from.step,
          .last_update = plan.schedule.train_steps};
}

}  // namespace

void serve(const TrainSettings& settings, const HParams& hparams, const Registry& registry, const ServedPlan& plan,
           const PsGroup& group, Messages& messages, const PsPatience& patience) {
  const int server = messages.rank() - group.clients;
  const auto backend = make_backend({});
  const auto optimizer = registry.optimizers.find(hparams.text("optimizer")).make(hparams);
  const Schedule schedule(hparams, plan.schedule);
  PsMessages short_messages(messages);
  MessageServerTransfer transfer(short_messages, group, server, copies_for(group), backend->allocator());
  RangeState state(*backend,
                   {.table = plan.table,
                    .optimizer = *optimizer,
                    .learning_rate = [&schedule](std::int64_t update) { return schedule.at(update); }},
                   group.range(server), transfer.copies());
  std::optional<Coordinator> coordinator;
  std::optional<FirstServer> first;
  if (server == 0) {
    const std::int64_t left = std::max<std::int64_t>(plan.schedule.train_steps - plan.from.step, 0);
    coordinator.emplace(decisions(settings, plan, group), BatchLedger(plan.from.step + 1, left));
    first.emplace(short_messages, *coordinator, group);
  }
  ParameterServer(short_messages, transfer, state, group, server, first ? &*first : nullptr, nullptr, patience).run();
}

}  // namespace lockstep
