#include "train/state/parameter_digest.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <vector>

#include "base/sha256.h"

namespace lockstep {

static_assert(std::endian::native == std::endian::little, "parameters_sha256 is defined over little-endian floats");

std::string parameter_digest(Backend& backend, const ParameterStore& parameters) {
  Sha256 sha;
  const std::vector<Variable>& variables = parameters.table().variables();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    std::vector<float> values(static_cast<std::size_t>(variables[i].range.count()));
    backend.copy(parameters.value(static_cast<int>(i)), Tensor(values.data(), DType::float32, variables[i].shape));
    backend.synchronize();
    sha.update(std::as_bytes(std::span(variables[i].name.c_str(), variables[i].name.size() + 1)));
    sha.update(std::as_bytes(std::span(values)));
  }
  return hex(sha.finish());
}

std::string agreed_parameter_digest(Communicator& communicator, Backend& backend, const ParameterStore& parameters) {
  std::string mine = parameter_digest(backend, parameters);
  std::string all(mine.size() * static_cast<std::size_t>(communicator.size()), ' ');
  communicator.all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  std::string drifted;
  for (int rank = 1; rank < communicator.size(); ++rank) {
    if (all.compare(mine.size() * static_cast<std::size_t>(rank), mine.size(), all, 0, mine.size()) != 0) {
      drifted += (drifted.empty() ? "" : ", ") + std::to_string(rank);
    }
  }
  if (!drifted.empty()) {
    throw Error(
        ExitCode::internal,
        fmt::format("replicas drifted: the parameters of rank {} differ from rank 0's at the end; the hosts may "
                    "compute differently (another kind of processor?) or a memory is faulty",
                    drifted),
        Scope::every_rank);
  }
  return mine;
}

}  // namespace lockstep
