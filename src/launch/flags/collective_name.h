#pragma once

#include <span>
#include <string>
#include <string_view>

#include "train/registry/registry.h"

namespace lockstep {

// An alias that --collective accepts for a communicator: TensorFlow's names, of its CollectiveCommunication and of its
// classes for cross-device operations.
struct CollectiveAlias {
  std::string_view name;
  std::string_view own;
};
std::span<const CollectiveAlias> collective_aliases();

// The registry's name of the communicator that --collective=text asks for: text itself, or the communicator with that
// name in TensorFlow. Capitals, underscores, the module in front and "AllReduce" at the end do not matter. Any other
// text is returned unchanged. Pure.
std::string collective_called(const std::string& text, const Registry& registry);

}  // namespace lockstep
