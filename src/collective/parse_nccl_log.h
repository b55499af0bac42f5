#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// Extracts from NCCL's log (subsystems INIT and TUNING) what it chose: how the last all-reduce was done, and which
// transports connect this rank: "an all-reduce of 4.2 MB by RING, SIMPLE, on 16 channels, over P2P/CUMEM and NET/IB".
// NCCL logs the former on rank 0 only. Lines in an unknown format are ignored; "" if nothing is found. Pure.
std::string parse_nccl_log(std::string_view log);

}  // namespace lockstep
