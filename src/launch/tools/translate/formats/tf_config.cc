#include <fmt/format.h>

#include "base/error.h"
#include "launch/cluster/tf_config.h"
#include "launch/tools/translate/formats/rank_formats.h"

namespace lockstep {

std::string tf_config_line(const RankList& list, const RankEntry& entry) {
  if (list.cluster.jobs.empty()) {
    throw Error(ExitCode::configuration,
                fmt::format("only this process's own place is known from {}, rank {} of {}, and TF_CONFIG names all "
                            "tasks: give --hostfile=FILE, with the hosts of the job",
                            list.source, entry.rank, list.world_size));
  }
  return tf_config_text(list.cluster, entry.task, list.environment) + "\n";
}

}  // namespace lockstep
