#pragma once

#include <span>
#include <string>

namespace lockstep {

// `lockstep translate`: what Lockstep makes of tensor2tensor's ways to say things. args: behind "translate".
// Returns what is to be printed. Throws Error.
std::string translate(std::span<const std::string> args);

}  // namespace lockstep
