// A plug-in that adds one hparams set, or throws what the registry it is given tells it to.
#include <stdexcept>

#include "train/registry.h"

extern "C" void lockstep_register(lockstep::Registry& registry) {
  if (registry.hparams_sets.has("throw a runtime_error")) throw std::runtime_error("no licence found");
  if (registry.hparams_sets.has("throw a number")) throw 42;
  registry.hparams_sets.add("mine", "one number", [] { return lockstep::HParams().set("number", std::int64_t{7}); });
}
