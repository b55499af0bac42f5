// A plug-in that adds an hparams set, a communicator and a strategy, or throws as the registry requests.
#include <stdexcept>

#include "train/registry/registry.h"
#include "train/strategy/sync.h"

extern "C" void lockstep_register(lockstep::Registry& registry) {
  if (registry.hparams_sets.has("throw a runtime_error")) throw std::runtime_error("no licence found");
  if (registry.hparams_sets.has("throw a number")) throw 42;
  registry.hparams_sets.add("mine", "one number", [] { return lockstep::HParams().set("number", std::int64_t{7}); });
  if (registry.hparams_sets.has("bad name")) registry.models.add("a,b", "", {});
  registry.models.add("none", "no model", [](const auto&, const auto&) { return nullptr; });
  registry.models.add("empty", "no function", {});
  registry.models.add("thrown", "no licence", [](const auto&, const auto&) -> std::unique_ptr<lockstep::Model> {
    throw std::runtime_error("no licence found");
  });
  registry.hparams_sets.add("thrown", "a number", []() -> lockstep::HParams { throw 42; });
  registry.communicators.add("mine", "a copy of the group", [](const lockstep::CommunicatorParts& parts) {
    return parts.group.split(0, parts.group.rank());
  });
  registry.strategies.add("mine", "sync in small buckets",
                          {.make =
                               [](const lockstep::StrategyParts& parts) {
                                 return lockstep::make_sync_strategy(
                                     parts.communicator, parts.trace, parts.replica,
                                     {.bucket_elements = 1000, .accumulated_shares = parts.plan.own_shares});
                               },
                           .settings = {"overlap"},
                           .refused = {{"exact", "its buckets are summed in the order of the ranks"}}});
}
