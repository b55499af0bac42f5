#include "base/error.h"

#include <doctest/doctest.h>

#include <string>

using lockstep::Error;
using lockstep::ExitCode;
using lockstep::Scope;

TEST_CASE("an Error carries code, text and scope") {
  const Error own(ExitCode::bad_data, "sample 7: label 11 of 10 classes");
  CHECK(own.code() == ExitCode::bad_data);
  CHECK(own.scope() == Scope::this_rank);
  CHECK(std::string(own.what()) == "sample 7: label 11 of 10 classes");
  CHECK(Error(ExitCode::usage, "", Scope::every_rank).scope() == Scope::every_rank);
}

TEST_CASE("LS_CHECK says where, what and why, with a path that is the same on every machine") {
  const int ranks = 3;
  CHECK_NOTHROW(LS_CHECK(ranks > 2, "not thrown"));
  std::string text;
  try {
    LS_CHECK(ranks > 4, "too few");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::internal);
    text = error.what();
  }
  CHECK(text.starts_with("tests/base/error_test.cc:"));
  CHECK(text.ends_with(" ranks > 4: too few"));
}
