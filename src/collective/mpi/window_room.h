#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/environment.h"
#include "collective/mpi/mca_parameters.h"

// The memory in which Open MPI's component sm keeps the windows of ranks that are all on one host: a nameless file in
// /dev/shm, as long as the parts of all ranks together. MPI_Win_allocate fails if it does not find room for 1.05 times
// as much there; containers often have 64 MB.
//
// Ranks that do not have the same folder, because they are in containers of their own, hang in MPI_Win_allocate.
namespace lockstep {

// A folder with this many bytes free.
struct WindowRoom {
  std::string folder;
  std::uint64_t free = 0;
  std::uint64_t file_system = 0;  // its number on this host: containers with folders of their own have different ones

  // The most bytes that all parts of a window may have together.
  std::int64_t most() const;
};

// The folder of windows, with what is free there now. Nothing if it is not known: another MPI, or a host where Open MPI
// takes its session's folder, since /dev/shm cannot be written. Local.
std::optional<WindowRoom> window_room();

// The folder that the environment, else files, else Open MPI itself chooses.
std::string window_folder(const Environment& environment, const McaParameters& files);

}  // namespace lockstep
