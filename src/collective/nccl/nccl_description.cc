#include "collective/nccl/nccl_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/printable.h"
#include "collective/nccl/nccl_version.h"

namespace lockstep {
namespace {

const char* memory_of(const NcclFacts& facts) {
  if (facts.windows > 0)
    return facts.buffers > 0 ? "memory registered as windows and plainly" : "memory registered as windows";
  return facts.buffers > 0 ? "registered memory" : "memory that is not registered";
}

}  // namespace

std::string describe(const NcclFacts& facts) {
  constexpr std::string_view kDebug = "NCCL_DEBUG=INFO";
  std::string variables;
  for (const std::string& variable : facts.variables) {
    if (!variable.ends_with('=')) variables += ", " + escaped(variable);
  }
  const bool logs = std::ranges::find(facts.variables, kDebug) != facts.variables.end();
  return fmt::format("{}: NCCL {}, {}, {}{}{}", facts.name, nccl_version_text(facts.version), facts.hosts,
                     memory_of(facts), variables,
                     logs ? "" : "; NCCL_DEBUG=INFO shows the channels and transports that it chooses");
}

}  // namespace lockstep
