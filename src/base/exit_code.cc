#include "base/exit_code.h"

namespace lockstep {
namespace {

constexpr ExitCodeMeaning kMeanings[] = {
    {ExitCode::done, "done"},
    {ExitCode::usage, "wrong usage: an unknown, repeated or malformed flag or hparam; an unknown model or other name"},
    {ExitCode::bad_data, "bad input data: truncated, corrupt, mismatched, a label outside the classes"},
    {ExitCode::missing_input, "an input file is missing"},
    {ExitCode::internal, "internal error, NaN or infinity, out of memory, a hang, replicas that drifted"},
    {ExitCode::cannot_write, "cannot write: disk full, no permission"},
    {ExitCode::stopped, "stopped on request, all is saved: run the same command again to continue"},
    {ExitCode::configuration, "a combination or a launch that cannot work"},
};

}  // namespace

std::span<const ExitCodeMeaning> exit_code_meanings() { return kMeanings; }

}  // namespace lockstep
