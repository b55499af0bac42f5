#include "model/gradient_order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse_order(const std::string& why) { throw Error(ExitCode::internal, why, Scope::every_rank); }

// "swish_4" for "swish_4/beta".
std::string layer_of(const std::string& variable) { return variable.substr(0, variable.rfind('/')); }

std::string list_of(std::vector<std::string> names) {
  constexpr std::size_t kMaxNames = 5;
  const std::size_t more = names.size() > kMaxNames ? names.size() - kMaxNames : 0;
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

[[noreturn]] void refuse_missing(const ParameterTable& table, FlatRange range) {
  refuse_order(
      fmt::format("{} did not report all gradients as ready: when a layer's backward() has written the gradients of "
                  "all its variables, it calls pass.on_gradient_ready(pass.parameters.table().padded(FIRST, LAST + "
                  "1)) once, with the numbers that Declaration gave it for the first and the last of them "
                  "(model/layer.h; docs/extending.md shows a layer)",
                  owners_of(table, range)));
}

}  // namespace

std::string owners_of(const ParameterTable& table, FlatRange range) {
  std::vector<std::string> variables;
  std::vector<std::string> layers;
  for (const Variable& variable : table.variables()) {
    if (variable.range.end <= range.begin || variable.range.begin >= range.end) continue;
    variables.push_back(variable.name);
    const std::string layer = layer_of(variable.name);
    if (std::ranges::find(layers, layer) == layers.end()) layers.push_back(layer);
  }
  if (variables.empty()) {  // nothing but the padding after a variable
    variables.push_back(table.owner_of(range.begin).name);
    layers.push_back(layer_of(variables.front()));
  }
  return fmt::format("layer{} {} ({} {})", layers.size() == 1 ? "" : "s", list_of(layers),
                     variables.size() == 1 ? "variable" : "variables", list_of(variables));
}

void GradientOrder::ready(FlatRange range) {
  if (range.begin < 0 || range.begin > range.end || range.end > table_.padded_count()) {
    refuse_order(
        fmt::format("a layer reported the gradients [{}, {}) as ready, of {} there are; take the range from "
                    "pass.parameters.table().padded()",
                    range.begin, range.end, table_.padded_count()));
  }
  if (range.end < mark_) refuse_missing(table_, {range.end, mark_});
  if (range.end > mark_) {
    refuse_order(
        fmt::format("{} reported gradients as ready that had been reported before: each layer does so once in a "
                    "backward pass, for its own variables, and containers run their layers from the last to the first",
                    owners_of(table_, {std::max(range.begin, mark_), range.end})));
  }
  mark_ = range.begin;
}

void GradientOrder::finish() const {
  if (mark_ > 0) refuse_missing(table_, {0, mark_});
}

}  // namespace lockstep
