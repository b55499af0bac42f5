#pragma once

#include <span>
#include <string>
#include <string_view>

#include "train/registry.h"

namespace lockstep {

// A name by which --collective takes a communicator too: TensorFlow's, of its CollectiveCommunication and of its
// classes for cross-device operations.
struct CollectiveAlias {
  std::string_view name;
  std::string_view own;
};
std::span<const CollectiveAlias> collective_aliases();

// The name in the table of what --collective=text asks for: text itself, or the communicator that TensorFlow calls so.
// Capitals, underscores, the module in front and "AllReduce" behind do not matter. What is neither stays as it is.
// Pure.
std::string collective_called(const std::string& text, const Registry& registry);

}  // namespace lockstep
