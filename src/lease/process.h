#pragma once

#include <string>

#include "lease/record.h"

namespace lockstep {

// This process as a holder, with a new token. job_id: scheduler_job_id of launch/.
LeaseRecord this_process(const std::string& job_id);

// Returns whether the holder's process is certainly not alive any more. REQUIRES: a record of this host, boot and pid
// namespace (LeaseRules::same_place). A zombie whose other threads have ended is gone: it writes nothing. A process
// whose state is unknown counts as alive.
bool process_is_gone(const LeaseRecord& record);

}  // namespace lockstep
