#include "launch/tools/translate/sources/read_ranks.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/input_file.h"
#include "base/slurm_lists.h"
#include "launch/job/identity.h"
#include "launch/tools/translate/sources/cluster_variables.h"
#include "launch/tools/translate/sources/rank_sources.h"
#include "launch/tools/translate/sources/told_cluster.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse_sources(ExitCode code, const std::string& why) { throw Error(code, why, Scope::every_rank); }

// The ranks that flags, or a cluster in TensorFlow's terms, give.
std::optional<RankList> given_ranks(const CommandLine& line, const Environment& environment) {
  const bool has_hostlist = line.given("hostlist") || line.given("tasks_per_node");
  const auto config = told_cluster(line, environment);
  const char* const asked = line.given("hostfile") ? "--hostfile" : "--hostlist";
  if ((line.given("hostfile") && has_hostlist) || (config && (line.given("hostfile") || has_hostlist))) {
    refuse_sources(ExitCode::usage, fmt::format("{} and {} both say where the ranks are; leave one of them out{}",
                                                asked, config ? "a cluster in TensorFlow's terms" : "--hostlist",
                                                config ? " (unset TF_CONFIG)" : ""));
  }
  if (line.given("hostfile")) {
    const std::string path = line.text("hostfile");
    return ranks_of_hostfile(read_file(path), path);
  }
  if (has_hostlist) {
    if (!line.given("hostlist") || !line.given("tasks_per_node")) {
      refuse_sources(ExitCode::usage, "--hostlist and --tasks_per_node: both are needed to say where the ranks are");
    }
    return ranks_of_slurm(line.text("hostlist"), line.text("tasks_per_node"), "--hostlist");
  }
  if (!config) return {};
  RankList list = ranks_of_cluster(*config, cluster_flags(line));
  const bool has_tf_config = line.given("tf_config") || !environment("TF_CONFIG").value_or("").empty();
  list.source = has_tf_config ? "TF_CONFIG" : "the cluster";
  list.variables = cluster_variables(line, environment, *config, list);
  for (const char* name : {"ps_hosts", "worker_hosts"}) {
    if (line.given(name)) list.train_flags.push_back(fmt::format("--{}={}", name, line.text(name)));
  }
  return list;
}

// The ranks as the scheduler gives them.
std::optional<RankList> scheduled_ranks(const Environment& environment, bool is_step) {
  if (auto list = ranks_in_slurm(environment, is_step)) return list;
  const auto path = environment("PE_HOSTFILE");
  if (!path) return {};
  return ranks_of_pe_hostfile(read_file(*path), *path);
}

// The same for a process of a job. On other hosts than the script's, Grid Engine's file may not be there, and Slurm's
// numbers of tasks are those of mpirun's daemons: then nothing.
std::optional<RankList> scheduled_ranks_of(const OwnProcess& own, const Environment& environment) {
  try {
    auto list = scheduled_ranks(environment, launch_identity(environment).launcher == Launcher::srun);
    if (list && agrees(*list, own)) return list;
  } catch (const Error&) {
    return {};
  }
  return {};
}

// The default host of rank 0: the first host of the allocation.
std::string first_scheduled_host(const Environment& environment) {
  try {
    if (const auto hosts = environment("SLURM_JOB_NODELIST")) {
      const std::vector<std::string> names = expand_hostlist(*hosts);
      return names.empty() ? "" : names.front();
    }
    const auto list = scheduled_ranks(environment, false);
    return list ? list->first_host : "";
  } catch (const Error&) {
    return "";
  }
}

RankList own_ranks(const OwnProcess& own, const Environment& environment) {
  if (auto scheduled = scheduled_ranks_of(own, environment)) return std::move(*scheduled);
  RankList list = ranks_of_launcher(own);
  if (list.first_host.empty()) list.first_host = environment("MASTER_ADDR").value_or("");
  if (list.first_host.empty()) list.first_host = first_scheduled_host(environment);
  return list;
}

[[noreturn]] void refuse_without_source() {
  refuse_sources(
      ExitCode::configuration,
      "nothing says where the ranks are: none of the flags --hostfile, --tf_config, --ps_hosts, --worker_hosts, "
      "--hostlist is given, and none of the variables TF_CONFIG, CLUSTER_SPEC, PS_CONFIG, PS_HOSTS, WORKER_HOSTS, "
      "SLURM_JOB_NODELIST, PE_HOSTFILE, OMPI_COMM_WORLD_SIZE, PMI_SIZE is set; give one of them, or run it within the "
      "job");
}

}  // namespace

RankList read_ranks(const CommandLine& line, const Environment& environment) {
  const std::optional<OwnProcess> own = own_process(environment);
  std::optional<RankList> list = given_ranks(line, environment);
  if (!list && own) list = own_ranks(*own, environment);
  if (!list) list = scheduled_ranks(environment, false);
  if (!list) refuse_without_source();
  if (list->ranks.empty() && list->evaluators.empty()) {
    refuse_sources(ExitCode::configuration, fmt::format("{} names no ranks: there is nothing to start", list->source));
  }
  if (own && list->is_complete()) find_own_rank(*list, *own);
  if (own) list->own_rank = own->rank;
  return *list;
}

}  // namespace lockstep
