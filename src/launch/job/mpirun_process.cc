#include "launch/job/mpirun_process.h"

#include <filesystem>
#include <system_error>

namespace lockstep {
namespace {

std::string program_of(const std::string& process) {
  std::error_code unknown;
  return std::filesystem::read_symlink(process + "/exe", unknown).filename();
}

}  // namespace

bool is_mpirun(const std::string& process) {
  // Open MPI 4's mpirun and mpiexec are links to orterun. Later versions do not tell the ranks what they do with the
  // output.
  return program_of(process) == "orterun";
}

bool starts_ranks(const std::string& process) { return is_mpirun(process) || program_of(process) == "orted"; }

}  // namespace lockstep
