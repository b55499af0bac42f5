#pragma once

#include "base/hparams.h"
#include "train/config/settings.h"
#include "train/registry/registry.h"
#include "train/served/served_link.h"
#include "train/served/served_plan.h"

namespace lockstep {

// A server's part of a run with parameter servers: holds its range of the parameters and of the optimizer's state, on
// the host, until every rank that trains has left. It reads no data and makes no model.
void serve(const TrainSettings& settings, const HParams& hparams, const Registry& registry, const ServedPlan& plan,
           const ServedLink& link);

}  // namespace lockstep
