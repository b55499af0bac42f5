#include "base/resource_limits.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>

#include <cerrno>
#include <string>

#include "base/descriptor.h"

namespace lockstep {

TEST_CASE("too many open files: the message names the limit, its value and the cure") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  // The lowest free descriptor number.
  const int lowest = open_descriptor("/dev/null", O_RDONLY).number();
  const rlimit tight{static_cast<rlim_t>(lowest), before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &tight) == 0);
  const Descriptor refused = open_descriptor("/dev/null", O_RDONLY);
  const int error = errno;
  const std::string message = system_message(error);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);

  CHECK(!refused.is_open());
  CHECK(error == EMFILE);
  CHECK(message.find("this process may have " + std::to_string(lowest) + " open (ulimit -n); raise the limit") !=
        std::string::npos);
  CHECK(code_of_failure(error, ExitCode::cannot_write) == ExitCode::internal);
}

TEST_CASE("another failure is told as ever") {
  CHECK(file_limit_advice(ENOSPC).empty());
  CHECK(system_message(ENOENT) == "No such file or directory");
  CHECK(code_of_failure(ENOSPC, ExitCode::cannot_write) == ExitCode::cannot_write);
  CHECK(file_limit_advice(ENFILE).find("fs.file-max") != std::string::npos);
}

TEST_CASE("out of memory: the message names the limit of this process, or its host") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
  // More address space than an address sanitizer reserves.
  constexpr rlim_t kBytes = 140'000'000'000'000;
  const rlimit limited{kBytes, before.rlim_max};
  const rlimit unlimited{RLIM_INFINITY, before.rlim_max};
  if (before.rlim_max >= kBytes) {
    REQUIRE(::setrlimit(RLIMIT_AS, &limited) == 0);
    const std::string text = memory_limit_text();
    REQUIRE(::setrlimit(RLIMIT_AS, &before) == 0);
    CHECK(text == " of the 140000000.0 MB that this process may have (ulimit -v)");
  }
  if (::setrlimit(RLIMIT_AS, &unlimited) == 0) {
    CHECK(memory_limit_text() == " on the host");
    REQUIRE(::setrlimit(RLIMIT_AS, &before) == 0);
  }
}

TEST_CASE("a refused thread: the message names every limit that may be the cause") {
  for (const char* part : {"(ulimit -u)", "(ulimit -v)", "(ulimit -s)", "pids.max", "fewer ranks"}) {
    CAPTURE(part);
    CHECK(thread_limit_message().find(part) != std::string::npos);
  }
}

}  // namespace lockstep
