#pragma once

#include "collective/messages.h"
#include "ps/group.h"
#include "ps/patience.h"
#include "ps/stop_request.h"
#include "train/served/served_transport.h"

namespace lockstep {

// The means by which a rank of a job with parameter servers reaches the others. The caller owns what it refers to.
struct ServedLink {
  Messages& messages;  // of the job
  const PsGroup& group;
  const ServedTransport& transport;
  const PsPatience& patience;
  PsStopSignal stop_signal;  // of this rank
};

}  // namespace lockstep
