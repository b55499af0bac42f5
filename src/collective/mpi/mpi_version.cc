#include "collective/mpi/mpi_version.h"

#include <mpi.h>

#include <array>
#include <cstddef>

#include "base/whole_number.h"

namespace lockstep {

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  return short_library_version({version.data(), static_cast<std::size_t>(length)});
}

std::string short_library_version(std::string_view version) {
  std::string text(version.substr(0, version.find_first_of(",\n")));
  if (const auto v = text.find(" v"); v != std::string::npos) text.erase(v + 1, 1);
  return text;
}

std::optional<int> open_mpi_major(std::string_view version) {
  constexpr std::string_view kName = "Open MPI ";
  if (!version.starts_with(kName)) return std::nullopt;
  version.remove_prefix(kName.size());
  return take_digits<int>(version);
}

}  // namespace lockstep
