#pragma once

#include <doctest/doctest.h>

#include <ctime>
#include <initializer_list>
#include <string>

#include "base/error.h"

namespace lockstep {

// Files made to do harm, in many forms: each has to be refused as bad data, missing input or a wrong configuration, by
// name and in under two seconds of processor time. A form that makes us wait for ever runs into the test's time-out.
class HostileForms {
 public:
  // form: describes the file. names: parts that the message has to contain.
  template <class Call>
  void refused(const std::string& form, std::initializer_list<std::string> names, Call call) {
    ++count_;
    CAPTURE(form);
    const std::clock_t start = std::clock();
    try {
      call();
      FAIL_CHECK("it was accepted");
    } catch (const Error& error) {
      const std::string message = error.what();
      const auto code = error.code();
      CAPTURE(message);
      CHECK((code == ExitCode::bad_data || code == ExitCode::missing_input || code == ExitCode::configuration));
      for (const std::string& name : names) {
        CAPTURE(name);
        CHECK(message.find(name) != std::string::npos);
      }
      CHECK(message.size() < 2000);
    }
    CHECK(std::clock() - start < 2 * CLOCKS_PER_SEC);
  }

  int count() const { return count_; }

 private:
  int count_ = 0;
};

}  // namespace lockstep
