#include "launch/job/process_tree.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "support/temporary_folder.h"

namespace lockstep {

TEST_CASE("the parent of a process, whatever its name, and 0 for one that is gone") {
  const TemporaryFolder process;
  CHECK(parent_of(process.path()) == 0);
  for (const char* name : {"train", "a (odd) name", ") S 9 ("}) {
    CAPTURE(name);
    std::ofstream(process / "stat") << "17 (" << name << ") S 4 17 17 0\n";
    CHECK(parent_of(process.path()) == 4);
  }
  std::ofstream(process / "stat") << "17 (cut off";
  CHECK(parent_of(process.path()) == 0);
  CHECK(parent_of("/proc/self") == ::getppid());
}

TEST_CASE("the ancestors of this process begin with its parent, and init is none of them") {
  const std::vector<pid_t> above = ancestors();
  if (::getppid() == 1) {
    CHECK(above.empty());
  } else {
    REQUIRE(!above.empty());
    CHECK(above.front() == ::getppid());
  }
  CHECK(std::ranges::find(above, 1) == above.end());
}

}  // namespace lockstep
