#include "collective/mpi/window_room.h"

#include <doctest/doctest.h>

#include "support/fake_environment.h"

namespace lockstep {

TEST_CASE("the folder of windows is /dev/shm, unless a user or a site has chosen another") {
  const McaParameters files{{"osc_sm_backing_directory", "/site"}};
  CHECK(window_folder(fake_environment({}), {}) == "/dev/shm");
  CHECK(window_folder(fake_environment({}), files) == "/site");
  CHECK(window_folder(fake_environment({{"OMPI_MCA_osc_sm_backing_directory", "/mine"}}), files) == "/mine");
}

TEST_CASE("a window leaves a part of the folder free, as Open MPI demands") {
  // As measured with Open MPI 4.1.4: of 64 MiB it grants 60 MiB and refuses 61.
  const WindowRoom room{.folder = "/dev/shm", .free = 64U << 20U};
  CHECK(room.most() == static_cast<std::int64_t>((64 << 20) / 1.05) - (1 << 20));
  CHECK(WindowRoom{.folder = "/dev/shm", .free = 1000}.most() == 0);
}

}  // namespace lockstep
