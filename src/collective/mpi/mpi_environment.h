#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/environment.h"
#include "collective/mpi/mca_parameters.h"

// The environment in which MPI_Init runs: the number of ranks on this host, and the settings that Lockstep adds. Pure,
// except for the look at the host's devices, so that it can be tested without MPI.
namespace lockstep {

// The number of ranks that the launcher starts on this host, if its variables tell it before MPI_Init: mpirun's first,
// then those of a Slurm step. (Under mpirun the Slurm variables are those of its daemon: never used then.)
std::optional<int> ranks_on_this_host(const Environment& environment);

struct Setting {
  std::string name;
  std::string value;
  bool operator==(const Setting&) const = default;
};

// The windows (collective/window.h) for which MPI is started: those of groups whose ranks are all on one host, or of
// any.
enum class Windows { none, one_host, any_hosts };

// The parts of MPI that a process will use beyond the usual.
struct MpiNeeds {
  Windows windows = Windows::none;
  // The ranks are on one host, and go on when one of them has ended.
  bool outlives_ranks = false;
};

// Inputs of the settings besides the environment.
struct MpiFacts {
  std::optional<int> open_mpi;  // major version; nothing for another MPI
  McaParameters parameters;     // set by files (collective/mpi/mca_parameters.h)
  int cores = 1;                // shared by the ranks of this host
  // There is, or may be, a network that MPI knows to use: InfiniBand, RoCE, Omni-Path, EFA, Slingshot.
  bool fast_network = false;
  std::vector<std::string> dead_ends{};  // interfaces that lead to no other host (collective/mpi/network_interfaces.h)
  Windows windows = Windows::none;
  bool outlives_ranks = false;  // MpiNeeds
};

// Looks for the devices of fast networks below `root`, "" on a real host. A false positive costs nothing: MPI then
// chooses, as it does for every other program.
bool sees_fast_network(const std::string& root);

// The settings to make before MPI_Init: for Open MPI, by the names of its version; none for another MPI. A setting that
// the user or the site has made, in the environment (--mca NAME shows up as OMPI_MCA_NAME) or in a parameter file, is
// never replaced.
// - pml ob1 and btl tcp,vader,self (5: sm for vader), if there is no fast network: Open MPI would choose the same by
//   itself, after the time it takes to load and refuse everything else. If there may be a fast network, or a part of
//   the transport has been chosen (pml, btl, mtl, osc; UCX or libfabric), all of it is left to MPI: a mixture would not
//   work. A file that only excludes ("pml = ^ucx", as Debian's own does) has chosen nothing, unless it excludes one of
//   these.
// - osc, for windows: the one-sided component that Open MPI 4.1 chooses by itself, rdma, crashes. On one host sm, which
//   needs nothing else. For any hosts sm,pt2pt (5: sm,rdma): pt2pt needs pml ob1 and may hang with another one, so ob1
//   is set with it, also where there may be a fast network; neither is, where the user or the site has chosen another
//   pml. For this setting a file that only excludes has chosen nothing, even if it excludes pt2pt, as Debian's does.
// - btl_vader_single_copy_mechanism none, for ranks that outlive others: else Open MPI reads large messages out of the
//   memory of their sender, and ends this process if that one has ended. The transport is ours there, whatever network
//   the host has: TCP and UCX end this process, too.
// - btl_tcp_if_exclude, for interfaces that lead to no other host, unless one of the two lists of interfaces is chosen.
// - mpi_yield_when_idle, when the ranks on this host outnumber the cores they may use.
std::vector<Setting> mpi_settings(const Environment& environment, const MpiFacts& facts);

// Returns whether the settings choose the one-sided component.
bool choose_one_sided(std::span<const Setting> settings);

// Returns whether messages between the ranks of a host still work, with these settings, when one of them has ended.
bool outlive_ranks(std::span<const Setting> settings);

// The settings as text: "pml=ob1 btl=tcp,vader,self"; "" for none.
std::string describe(std::span<const Setting> settings);

}  // namespace lockstep
