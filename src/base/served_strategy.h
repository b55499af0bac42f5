#pragma once

namespace lockstep {

// The name of the strategy of jobs with ranks that hold the parameters and do not compute.
inline constexpr const char* kParameterServer = "parameter_server";

}  // namespace lockstep
