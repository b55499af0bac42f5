#include "base/cpu_affinity.h"

#include <doctest/doctest.h>
#include <sched.h>

#include <string>
#include <thread>

namespace lockstep {
namespace {

// Binds the calling thread to the first or to the first and last of its cores; returns the expected allowed_cores().
std::string bind_to(bool last_too) {
  cpu_set_t all;
  cpu_set_t some;
  CPU_ZERO(&some);
  REQUIRE(sched_getaffinity(0, sizeof all, &all) == 0);
  int first = -1;
  int last = -1;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &all)) continue;
    if (first < 0) first = core;
    last = core;
  }
  CPU_SET(first, &some);
  if (last_too) CPU_SET(last, &some);
  REQUIRE(sched_setaffinity(0, sizeof some, &some) == 0);
  if (!last_too || last == first) return std::to_string(first);
  return std::to_string(first) + (last == first + 1 ? "-" : ",") + std::to_string(last);
}

// Affinity belongs to a thread: each check gets its own, so that the test's main thread stays unbound.
template <class Check>
void on_a_thread(Check check) {
  std::thread(check).join();
}

}  // namespace

TEST_CASE("a bound thread says so and can be let free") {
  on_a_thread([] {
    allow_all_cores();
    const std::string all = allowed_cores();
    CHECK(allowed_cores() != "unknown");
    for (const bool last_too : {false, true}) {
      const std::string expected = bind_to(last_too);
      CHECK(allowed_cores() == expected);
      allow_all_cores();
      CHECK(allowed_cores() == all);
    }
  });
}

TEST_CASE("letting one thread free leaves the others bound") {
  on_a_thread([] {
    const std::string bound = bind_to(false);
    on_a_thread([] { allow_all_cores(); });
    CHECK(allowed_cores() == bound);
  });
}

TEST_CASE("the host's cores are counted without regard to the caller's binding") {
  on_a_thread([] {
    allow_all_cores();
    cpu_set_t all;
    REQUIRE(sched_getaffinity(0, sizeof all, &all) == 0);
    const std::string bound = bind_to(false);
    CHECK(host_cores() == CPU_COUNT(&all));
    CHECK(allowed_cores() == bound);
  });
}

}  // namespace lockstep
