#include "launch/start/served_windows.h"

#include <algorithm>
#include <cstdint>

#include "collective/mpi/mpi_version.h"
#include "collective/mpi/mpi_window.h"
#include "collective/mpi/window_room.h"

namespace lockstep {
namespace {

// Returns whether windows of the ranks, which are on one host, lie in one folder for all of them. COLLECTIVE.
bool have_one_folder(Communicator& world) {
  const auto room = window_room();
  const auto all = all_gather_value<std::uint64_t>(world, room ? room->file_system : 0);
  return std::ranges::all_of(all, [&](std::uint64_t each) { return each == all.front(); });
}

}  // namespace

std::string doubt_of_windows(std::optional<int> open_mpi, bool is_ours) {
  if (!open_mpi || *open_mpi < 4) return "windows have not been tried with this MPI";
  return is_ours ? "" : "MPI's one-sided component (osc) was chosen by the environment or a file";
}

ServedWindows served_windows(MpiSession* session, Communicator& world, bool has_windows) {
  if (session == nullptr) return {};
  if (!has_windows) {
    return {.why_none = "not every rank knew before MPI started that windows would be made",
            .cure = "give --ps_transport=rma to all ranks"};
  }
  ServedWindows windows{.make = [session](std::int64_t bytes) { return make_mpi_window(*session, bytes); }};
  const bool is_ours = first_text(world, choose_one_sided(session->settings()) ? "" : "another").empty();
  windows.doubt = doubt_of_windows(open_mpi_major(mpi_version()), is_ours);
  if (session->local_size() != session->size()) return windows;
  windows.room = window_room;
  if (have_one_folder(world)) return windows;
  return {.why_none = "the ranks of this host do not share /dev/shm, where windows lie",
          .cure = "let their containers share it (docker run --ipc=host)"};
}

}  // namespace lockstep
