#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "tensor/backend.h"

namespace lockstep {

struct OperationCall {
  std::string name;
  std::function<void()> call;  // with value-initialized arguments
};

// Returns a call of each operation of tensor/operations.def, overloads included.
inline std::vector<OperationCall> every_operation(Backend& backend) {
  const auto call_of = [&]<class... Parameters>(void (Backend::*operation)(Parameters...)) {
    return [&backend, operation] { (backend.*operation)(std::remove_cvref_t<Parameters>{}...); };
  };
  return {
#define LS_OPERATION(name, parameters, arguments) \
  {#name, call_of(static_cast<void(Backend::*) parameters>(&Backend::name))},
#include "tensor/operations.def"
  };
}

}  // namespace lockstep
