#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/environment.h"

// What MPI_Init finds in the environment: who else runs on this host, and the settings that Lockstep adds. Pure,
// except for the look at the host's devices, so that it can be tested without MPI.
namespace lockstep {

// How many ranks the launcher starts on this host, as far as its variables tell before MPI_Init: mpirun's first, then
// those of a Slurm step. (Under mpirun the Slurm variables are those of its daemon: never used then.)
std::optional<int> ranks_on_this_host(const Environment& environment);

struct Setting {
  std::string name;
  std::string value;
  bool operator==(const Setting&) const = default;
};

// What the settings depend on besides the environment.
struct HostFacts {
  int cores = 1;  // that the ranks of this host share
  // There is, or may be, one that MPI knows to use: InfiniBand, RoCE, Omni-Path, EFA, Slingshot.
  bool fast_network = false;
};

// Looks for the devices of fast networks below `root`, "" on a real host. Seeing one too many costs nothing: MPI then
// chooses, as it does for every other program.
bool sees_fast_network(const std::string& root);

// The settings to make before MPI_Init, never one that the user has made (--mca NAME shows up as OMPI_MCA_NAME).
// - pml ob1 and btl tcp,vader,self, where there is no fast network: what Open MPI would choose there by itself, without
//   the time it takes to load and to refuse everything else. Where there may be one, or the user has chosen a part of
//   the transport (pml, btl, mtl, osc; UCX or libfabric), all of it is MPI's: a mixture would not work.
// - mpi_yield_when_idle, when the ranks on this host outnumber the cores they may use.
std::vector<Setting> mpi_settings(const Environment& environment, const HostFacts& host);

// "pml=ob1 btl=tcp,vader,self"; "" for none.
std::string describe(std::span<const Setting> settings);

}  // namespace lockstep
