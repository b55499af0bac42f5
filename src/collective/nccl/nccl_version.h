#pragma once

#include <string>

namespace lockstep {

// The text "2.28.9" for NCCL's number 22809. Numbers before 2.9 are of another form: 2708 is 2.7.8.
std::string nccl_version_text(int version);

}  // namespace lockstep
