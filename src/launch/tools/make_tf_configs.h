#pragma once

#include <span>
#include <string>

#include "base/error.h"
#include "launch/standard_output.h"

namespace lockstep {

// `lockstep make-tf-configs`: tensor2tensor's t2t-make-tf-configs. args: after "make-tf-configs". warn takes a line for
// each address that will not work; with --strict they are an Error(configuration). Throws Error.
ExitCode make_tf_configs(std::span<const std::string> args, const Print& print, const Print& warn);

}  // namespace lockstep
