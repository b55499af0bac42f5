#include "launch/job/launcher_ended.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_folder.h"

namespace lockstep {
namespace {

void set_state(const TemporaryFolder& proc, char state) {
  std::filesystem::create_directory(proc / "50");
  std::ofstream(proc / "50/stat") << "50 (mpirun) " << state << " 1 50 50 0\n";
}

int looks_until_certain(LauncherEnded& ended) {
  int looks = 1;
  while (looks < 100 && !ended.certain()) ++looks;
  return looks;
}

}  // namespace

TEST_CASE("a launcher that runs has not ended, however it is stopped") {
  const TemporaryFolder proc;
  LauncherEnded ended(50, proc.path());
  for (const char state : {'S', 'R', 'T', 'D'}) {
    set_state(proc, state);
    for (int look = 0; look < 20; ++look) CHECK(!ended.certain());
  }
}

TEST_CASE("a launcher that is gone, or a zombie, has ended after six seconds, which Open MPI has for its own end") {
  const TemporaryFolder proc;
  set_state(proc, 'S');
  LauncherEnded gone(50, proc.path());
  LauncherEnded zombie(50, proc.path());
  CHECK(!gone.certain());
  set_state(proc, 'Z');
  CHECK(looks_until_certain(zombie) == 6);
  std::filesystem::remove_all(proc / "50");
  CHECK(looks_until_certain(gone) == 6);
  CHECK(gone.certain());
}

TEST_CASE("a launcher that cannot be seen is not missed") {
  LauncherEnded ended({});
  CHECK(looks_until_certain(ended) == 100);
}

}  // namespace lockstep
