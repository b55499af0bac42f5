#pragma once

#include <string>

#include "lease/record.h"

namespace lockstep {

// This process as a holder, with a new token. job_id: as launch/ knows it (scheduler_job_id).
LeaseRecord this_process(const std::string& job_id);

// Whether the holder's process is surely not alive any more. To be asked only of a record of this host, boot and pid
// namespace (LeaseRules::same_place). A zombie is gone: it writes nothing. A process whose state is unknown counts as
// alive.
bool process_is_gone(const LeaseRecord& record);

}  // namespace lockstep
