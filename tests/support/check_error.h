#pragma once

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>

#include "base/error.h"

namespace lockstep {

// Checks that `call` throws an Error with this code whose message has all these parts.
template <class Call>
void check_error(ExitCode code, std::initializer_list<std::string> parts, Call call) {
  try {
    call();
  } catch (const Error& error) {
    const std::string message = error.what();
    CAPTURE(message);
    CHECK(static_cast<int>(error.code()) == static_cast<int>(code));
    for (const std::string& part : parts) {
      CAPTURE(part);
      CHECK(message.find(part) != std::string::npos);
    }
    return;
  }
  FAIL_CHECK("no Error was thrown");
}

}  // namespace lockstep
