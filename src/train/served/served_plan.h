#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "collective/messages.h"
#include "data/batch_plan.h"
#include "optim/schedule.h"
#include "tensor/parameter_table.h"
#include "train/config/agreement.h"

namespace lockstep {

// The part of the chief's run that the other ranks of a job with parameter servers have to know before the first step.
struct ServedPlan {
  ParameterTable table;
  Schedule::Run schedule;         // with the number of steps
  BatchCursor from;               // where the run begins
  std::vector<AgreedItem> found;  // what the chief has found of data and model, which every rank that trains must find
  std::string batches;            // batches_digest() of the chief's data
  std::string replayed;           // the first line of the log whose order is repeated; "" = none
};

// A plan as one line of JSON, and back.
std::string to_text(const ServedPlan& plan);
ServedPlan served_plan(std::string_view text);

// The chief gives its plan to the other ranks, which wait for it, for as long as the chief reads its data:
// while_waiting is called again and again, and may throw.
void give_plan(Messages& messages, const ServedPlan& plan);
ServedPlan await_plan(Messages& messages, const std::function<void()>& while_waiting);

// Throws Error(configuration) if this rank has found something else than the chief, and names it.
void check_found(const ServedPlan& plan, const std::vector<AgreedItem>& found);

}  // namespace lockstep
