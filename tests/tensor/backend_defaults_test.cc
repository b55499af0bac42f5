#include <doctest/doctest.h>

#include "every_operation.h"
#include "support/bare_backend.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

TEST_CASE("every operation of the contract that a backend lacks is an error that names both") {
  BareBackend backend({Device::Kind::cuda, 3});
  std::vector<OperationCall> operations = every_operation(backend);
  CHECK(operations.size() > 30);
  operations.push_back({"make_copy_stream", [&] { backend.make_copy_stream(); }});
  operations.push_back({"first_not_finite", [&] { backend.first_not_finite({}); }});
  for (const auto& [operation, call] : operations) {
    CAPTURE(operation);
    check_error(ExitCode::configuration, {"cuda backend", "'" + operation + "'", "--device=cpu"}, call);
  }
}

}  // namespace
}  // namespace lockstep
