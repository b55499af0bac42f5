#pragma once

#include <cstdint>

namespace lockstep {

// The role of a rank. World order is chief, workers, parameter servers, data ranks; rank 0 is always the chief, which
// reports, writes and saves. An evaluator has a world of its own.
enum class Role : std::uint8_t { chief, worker, parameter_server, data, evaluator };

constexpr const char* name(Role role) {
  switch (role) {
    case Role::chief:
      return "chief";
    case Role::worker:
      return "worker";
    case Role::parameter_server:
      return "parameter server";
    case Role::data:
      return "data";
    case Role::evaluator:
      return "evaluator";
  }
  return "unknown role";
}

}  // namespace lockstep
