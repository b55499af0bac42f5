#pragma once

#include <algorithm>

#include "base/json.h"

namespace lockstep {

// Returns whether two values are equal, ignoring the order of an object's members, as in Python.
inline bool equal_in_any_order(const Json& one, const Json& other) {
  if (const auto* const list = one.as<Json::Array>()) {
    const auto* const others = other.as<Json::Array>();
    return others != nullptr && std::ranges::equal(*list, *others, equal_in_any_order);
  }
  const auto* const members = one.as<Json::Object>();
  if (members == nullptr) return one == other;
  const auto* const others = other.as<Json::Object>();
  if (others == nullptr || members->size() != others->size()) return false;
  return std::ranges::all_of(*members, [&other](const Json::Member& member) {
    const Json* const found = other.find(member.first);
    return found != nullptr && equal_in_any_order(member.second, *found);
  });
}

}  // namespace lockstep
