#include "collective/mpi/window_room.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "collective/mpi/mpi_library.h"
#include "collective/mpi/mpi_version.h"

namespace lockstep {
namespace {

constexpr const char* kFolderParameter = "osc_sm_backing_directory";

// Open MPI's own records of a window, and the gaps between parts.
constexpr std::int64_t kBesides = std::int64_t{1} << 20;

}  // namespace

std::int64_t WindowRoom::most() const {
  const auto usable = static_cast<std::int64_t>(static_cast<double>(free) / 1.05);
  return std::max<std::int64_t>(usable - kBesides, 0);
}

std::string window_folder(const Environment& environment, const McaParameters& files) {
  const std::string variable = std::string("OMPI_MCA_") + kFolderParameter;
  if (auto chosen = environment(variable.c_str())) return *chosen;
  const auto in_files = files.find(kFolderParameter);
  return in_files == files.end() ? "/dev/shm" : in_files->second;
}

std::optional<WindowRoom> window_room() {
  if (!open_mpi_major(mpi_version())) return {};
  const Environment environment = process_environment();
  const std::string folder =
      window_folder(environment, read_mca_parameters(mca_parameter_files(environment, mpi_library_folder())));
  struct stat status {};
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  if (error || ::access(folder.c_str(), W_OK) != 0 || ::stat(folder.c_str(), &status) != 0) return {};
  return WindowRoom{.folder = folder, .free = space.available, .file_system = status.st_dev};
}

}  // namespace lockstep
