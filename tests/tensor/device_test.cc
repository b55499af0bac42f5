#include "tensor/device.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "base/error.h"
#include "tensor/backend.h"

namespace lockstep {
namespace {

TEST_CASE("parse_device takes what --device promises") {
  const Device cpu{};
  CHECK(parse_device("auto") == cpu);
  CHECK(parse_device("cpu") == cpu);
  CHECK(parse_device("cuda") == Device{Device::Kind::cuda, 0});
  CHECK(parse_device("cuda:0") == Device{Device::Kind::cuda, 0});
  CHECK(parse_device("cuda:13") == Device{Device::Kind::cuda, 13});
  const int largest = std::numeric_limits<int>::max();
  CHECK(parse_device("cuda:" + std::to_string(largest)) == Device{Device::Kind::cuda, largest});
}

TEST_CASE("a device's text reads back as the same device") {
  for (const Device device : {Device{}, Device{Device::Kind::cuda, 0}, Device{Device::Kind::cuda, 7}}) {
    CHECK(parse_device(device.text()) == device);
  }
}

TEST_CASE("parse_device refuses everything else as wrong usage, the same on every rank") {
  for (const char* text :
       {"", " ", "gpu", "CPU", "cpu:0", "cuda:", "cuda:x", "cuda:1x", "cuda:-1", "cuda:-0", "cuda:+1", "cuda: 1",
        "cuda:1 ", " cuda", "cuda0", "cuda:0x1", "cuda:1.0", "cuda:2147483648", "auto:0"}) {
    CAPTURE(text);
    try {
      parse_device(text);
      FAIL("accepted");
    } catch (const Error& error) {
      const std::string message = error.what();
      CHECK(error.code() == ExitCode::usage);
      CHECK(error.scope() == Scope::every_rank);
      CHECK(message.find("'" + std::string(text) + "'") != std::string::npos);
      CHECK(message.ends_with("; this build has " + backend_features()));
      CHECK(message.find("auto, cpu, cuda or cuda:N") != std::string::npos);
    }
  }
}

TEST_CASE("a slip of the keyboard is answered with what was meant") {
  try {
    parse_device("cdua");
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("did you mean 'cuda'") != std::string::npos);
  }
}

TEST_CASE("who asks for a gpu by TensorFlow's name is told that there is none yet") {
  for (const char* text : {"gpu", "gpu:0"}) {
    CHECK_THROWS_WITH_AS(parse_device(text), doctest::Contains("(GPUs are not supported yet)"), Error);
  }
}

}  // namespace
}  // namespace lockstep
