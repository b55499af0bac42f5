#include "tensor/backend.h"

#include <doctest/doctest.h>

#include <string>

#include "base/error.h"

namespace lockstep {
namespace {

// Returns the error for a GPU that no machine has, so that it occurs with and without GPUs.
Error error_of_gpu_4096() {
  try {
    make_backend({Device::Kind::cuda, 4096});
  } catch (const Error& error) {
    return error;
  }
  return {ExitCode::done, "no error"};
}

TEST_CASE("make_backend gives the CPU when the CPU is asked for") {
  const auto backend = make_backend({});
  CHECK(backend->device() == Device{});
  CHECK(backend->allocator().device() == Device{});
}

TEST_CASE("a GPU that cannot be had is a wrong configuration, and the text says what to do") {
  const Error error = error_of_gpu_4096();
  const std::string message = error.what();
  CAPTURE(message);
  CHECK(error.code() == ExitCode::configuration);
  CHECK(message.find("no device cuda:4096") != std::string::npos);
  CHECK(message.find("--device=cpu") != std::string::npos);
  if (backend_features() == "no cuda") {
    CHECK(error.scope() == Scope::every_rank);
    CHECK(message.find("this build has no cuda backend") != std::string::npos);
  } else {
    CHECK(message.find("visible here") != std::string::npos);  // after their number
  }
}

TEST_CASE("without a GPU there is a reason, and no error") {
  const VisibleDevices visible = visible_gpus();
  CHECK(visible.devices.empty() == !visible.why_none.empty());
  if (backend_features() == "no cuda") CHECK(!has_gpu_driver());
}

TEST_CASE("asking again after an error gives the same error") {
  CHECK(std::string(error_of_gpu_4096().what()) == error_of_gpu_4096().what());
}

TEST_CASE("backend_features says what make_backend can give") {
  const std::string features = backend_features();
  CHECK((features == "no cuda" || features.starts_with("cuda ")));
}

}  // namespace
}  // namespace lockstep
