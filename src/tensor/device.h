#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// Where memory lies and work runs: the host's cores, or one of its GPUs.
struct Device {
  enum class Kind { cpu, cuda };
  Kind kind = Kind::cpu;
  int index = 0;

  bool operator==(const Device&) const = default;
  std::string text() const { return kind == Kind::cpu ? "cpu" : "cuda:" + std::to_string(index); }
};

// "auto", "cpu", "cuda" or "cuda:N", as --device takes them. "cuda" is cuda:0; "auto" is the CPU as long as the
// cuda backend lacks the operations of a training step. Throws Error(usage).
Device parse_device(std::string_view text);

}  // namespace lockstep
