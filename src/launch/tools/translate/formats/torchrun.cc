#include <fmt/format.h>

#include "base/error.h"
#include "launch/tools/translate/formats/rank_formats.h"

namespace lockstep {
namespace {

constexpr int kMasterPort = 29500;  // PyTorch's own default

}  // namespace

std::string torchrun_line(const RankList& list, const RankEntry& entry) {
  if (list.first_host.empty()) {
    throw Error(
        ExitCode::configuration,
        fmt::format("the host of rank 0 is not known to rank {} from {}: name it, as in mpirun -x MASTER_ADDR=HOST",
                    entry.rank, list.source));
  }
  RankEntry first = list.ranks.front();
  first.host = list.first_host;
  check_host(first);
  return fmt::format("RANK={} WORLD_SIZE={} LOCAL_RANK={} LOCAL_WORLD_SIZE={} MASTER_ADDR={} MASTER_PORT={}\n",
                     entry.rank, list.world_size, entry.local_rank, entry.local_size, list.first_host, kMasterPort);
}

}  // namespace lockstep
