#pragma once

#include "base/environment.h"
#include "base/error.h"
#include "launch/flags/command_line.h"
#include "launch/standard_output.h"

namespace lockstep {

// `lockstep cluster --hparams_base=JSON --hparams=...`: prints the base with the changes applied. Throws Error; for a
// wrong change, with tensor2tensor's message.
ExitCode translate_hparams(const CommandLine& line, const Environment& environment, const Print& print);

}  // namespace lockstep
