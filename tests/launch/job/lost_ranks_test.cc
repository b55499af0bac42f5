#include "launch/job/lost_ranks.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "support/fake_environment.h"

namespace lockstep {
namespace {

const std::vector<Setting> kOurs{{"OMPI_MCA_btl_vader_single_copy_mechanism", "none"}};

std::string why_together(const std::map<std::string, std::string>& variables, Launcher launcher,
                         std::optional<int> open_mpi = 4, const std::vector<Setting>& settings = kOurs) {
  return why_ranks_end_together(fake_environment(variables), launcher, open_mpi, settings);
}

}  // namespace

TEST_CASE("mpirun ends all ranks with the first unless it is told to recover") {
  CHECK(why_together({{"OMPI_MCA_orte_enable_recovery", "1"}}, Launcher::mpirun).empty());
  for (const char* off : {"0", "false", ""}) {
    CHECK(why_together({{"OMPI_MCA_orte_enable_recovery", off}}, Launcher::mpirun).ends_with("--enable-recovery"));
  }
  CHECK(why_together({}, Launcher::mpirun).ends_with("mpirun --enable-recovery"));
}

TEST_CASE("srun ends all ranks with the first if it is told to") {
  CHECK(why_together({}, Launcher::srun).empty());
  CHECK(why_together({{"SLURM_KILL_BAD_EXIT", "0"}}, Launcher::srun).empty());
  CHECK(why_together({{"SLURM_KILL_BAD_EXIT", "1"}}, Launcher::srun).ends_with("srun --kill-on-bad-exit=0"));
}

TEST_CASE("a rank is outlived with Open MPI 4 and Lockstep's settings alone") {
  CHECK(why_together({}, Launcher::srun, 5).find("Open MPI 4 only") != std::string::npos);
  CHECK(why_together({}, Launcher::srun, {}).find("Open MPI 4 only") != std::string::npos);
  const std::string why = why_together({}, Launcher::srun, 4, {{"OMPI_MCA_pml", "ob1"}});
  CHECK(why.find("give --on_worker_loss=continue to all ranks") != std::string::npos);
}

}  // namespace lockstep
