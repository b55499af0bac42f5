#include "collective/mpi/mpi_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "collective/mpi/mpi_version.h"

namespace lockstep {
namespace {

// Upstream's and Debian's folders of components, relative to libmpi's folder.
constexpr const char* kComponentFolders[] = {"openmpi", "openmpi/lib/openmpi3", "openmpi/lib/openmpi"};

}  // namespace

std::string mpi_library_folder() {
  // Asks for a PMPI name: a profiler in front of the library defines functions of MPI, but not these.
  void* const function = ::dlsym(RTLD_DEFAULT, "PMPI_Init");
  Dl_info info{};
  if (function == nullptr || ::dladdr(function, &info) == 0 || info.dli_fname == nullptr) return "";
  const std::filesystem::path file(info.dli_fname);
  std::error_code failure;
  const std::filesystem::path real = std::filesystem::canonical(file, failure);
  return failure || !file.filename().string().starts_with("libmpi") ? "" : real.parent_path().string();
}

std::vector<std::string> open_mpi_pmix_components(const std::string& library_folder) {
  constexpr std::string_view kBegin = "mca_pmix_";
  constexpr std::string_view kEnd = ".so";
  std::vector<std::string> components;
  if (library_folder.empty()) return components;
  for (const char* folder : kComponentFolders) {
    std::error_code failure;
    for (std::filesystem::directory_iterator entry(library_folder + "/" + folder, failure), end;
         !failure && entry != end; entry.increment(failure)) {
      const std::string name = entry->path().filename().string();
      if (name.size() <= kBegin.size() + kEnd.size() || !name.starts_with(kBegin) || !name.ends_with(kEnd)) continue;
      components.push_back(name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size()));
    }
  }
  return components;
}

PmiClients pmi_clients(std::string_view version, const std::vector<std::string>& pmix_components) {
  const std::optional<int> open_mpi = open_mpi_major(version);
  if (!open_mpi) return {};
  if (*open_mpi >= 5) return {.pmi1 = false, .pmi2 = false};
  if (pmix_components.empty()) return {};
  const auto has = [&](const char* name) { return std::ranges::find(pmix_components, name) != pmix_components.end(); };
  return {.pmi1 = has("s1") || has("cray"), .pmi2 = has("s2") || has("cray")};
}

}  // namespace lockstep
