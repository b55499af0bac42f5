#include "launch/job/mpirun_process.h"

#include <filesystem>
#include <system_error>

namespace lockstep {

bool is_mpirun(const std::string& process) {
  std::error_code unknown;
  // Open MPI 4's mpirun and mpiexec are links to orterun. Later ones do not tell the ranks what they do with the
  // output.
  return std::filesystem::read_symlink(process + "/exe", unknown).filename() == "orterun";
}

}  // namespace lockstep
