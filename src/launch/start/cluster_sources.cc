#include "launch/start/cluster_sources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace lockstep {
namespace {

struct Sources {
  std::vector<std::string_view> variables;
  std::vector<std::string_view> flags;
};

Sources split(std::string_view sources) {
  constexpr std::string_view kBetween = ", ";
  Sources result;
  while (!sources.empty()) {
    const std::string_view source = sources.substr(0, sources.find(kBetween));
    (source.starts_with("--") ? result.flags : result.variables).push_back(source);
    sources.remove_prefix(std::min(source.size() + kBetween.size(), sources.size()));
  }
  return result;
}

// Joins the cure for the variables and the one for the flags.
std::string both(const Sources& sources, const std::string& of_variables, const std::string& of_flags) {
  if (sources.flags.empty()) return of_variables;
  return sources.variables.empty() ? of_flags : fmt::format("{} and {}", of_variables, of_flags);
}

}  // namespace

std::string how_to_do_without(std::string_view sources) {
  const Sources by = split(sources);
  return both(by, fmt::format("unset {}", fmt::join(by.variables, " ")),
              fmt::format("leave out {}", fmt::join(by.flags, " ")));
}

std::string how_to_pass_on(std::string_view sources) {
  const Sources by = split(sources);
  return both(by, fmt::format("let mpirun pass it on to other hosts by -x {}", fmt::join(by.variables, " -x ")),
              fmt::format("give it {}", fmt::join(by.flags, " ")));
}

}  // namespace lockstep
