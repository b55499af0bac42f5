#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What MPI_Init finds in the environment: who else runs on this host, and the settings that Lockstep adds. Pure, so
// that it can be tested without MPI.
namespace lockstep {

// Reads an environment variable; nothing if it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;
Environment process_environment();

// The ranks on node number `node` of "2(x3),1", as Slurm writes tasks per node; nothing if it does not say.
std::optional<int> tasks_on_node(std::string_view tasks_per_node, int node);

// How many ranks the launcher starts on this host, as far as its variables tell before MPI_Init: mpirun's first, then
// those of a Slurm step. (Under mpirun the Slurm variables are those of its daemon: never used then.)
std::optional<int> ranks_on_this_host(const Environment& environment);

struct Setting {
  std::string name;
  std::string value;
  bool operator==(const Setting&) const = default;
};

// The settings to make before MPI_Init, never one that the user has made (--mca NAME shows up as OMPI_MCA_NAME).
// - pml ob1, btl tcp,vader,self and osc sm,pt2pt: with Open MPI 4.1 the only set found right for one-sided windows both
//   within and between nodes. All or none: a user who picks one of them (UCX on InfiniBand: --mca pml ucx) knows their
//   network, and a mixture would not work.
// - mpi_yield_when_idle, when the ranks on this host outnumber the cores they may use.
std::vector<Setting> mpi_settings(const Environment& environment, int cores);

}  // namespace lockstep
