#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// What NCCL has chosen, from its own log of the subsystems INIT and TUNING (NCCL_DEBUG=INFO): how it made the last
// all-reduce, which rank 0 alone is told, and the transports of this rank's connections: "an all-reduce of 4.2 MB by
// RING, SIMPLE, on 16 channels, over P2P/CUMEM and NET/IB". "" where the log says nothing of them; forms that
// it does not know are left out. Pure.
std::string nccl_choices(std::string_view log);

}  // namespace lockstep
