#include "launch/cluster/plan_to_show.h"

#include <string>

#include "base/error.h"

namespace lockstep {

ClusterPlan plan_to_show(const TfConfig& config, const ClusterFlags& flags) {
  ClusterFlags with_servers = flags;
  with_servers.has_parameter_server = true;
  ClusterPlan plan = plan_cluster(config, with_servers);
  if (flags.has_parameter_server || plan.strategy.empty()) return plan;
  try {
    plan_cluster(config, flags);
  } catch (const Error& error) {
    plan.warnings.push_back(std::string("train refuses this cluster: ") + error.what());
  }
  return plan;
}

}  // namespace lockstep
