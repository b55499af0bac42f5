#include "collective/mpi/mpi_call.h"

#include <fmt/format.h>

#include <array>

namespace lockstep {

void check_mpi(int code, std::int64_t count, Where where) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  fail(where, fmt::format("count {}: {}", count, std::string_view(text.data(), static_cast<std::size_t>(length))));
}

}  // namespace lockstep
