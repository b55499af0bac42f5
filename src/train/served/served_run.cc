#include "train/served/served_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/host_name.h"
#include "ps/key_ranges.h"
#include "train/config/agreement.h"
#include "train/run.h"
#include "train/run_setup.h"
#include "train/served/served_client.h"
#include "train/served/served_plan.h"
#include "train/served/server_part.h"
#include "train/served/worker_part.h"
#include "train/strategy/parameter_server.h"

namespace lockstep {
namespace {

bool is_sliceable(const HParams& hparams, const Registry& registry) {
  return registry.optimizers.find(hparams.text("optimizer")).make(hparams)->sliceable();
}

PsGroup group_of(const ServedJob& job, const ParameterTable& table, bool sliceable) {
  return {.clients = job.ranks.size() - job.servers, .ranges = key_ranges(table, sliceable, job.servers)};
}

// The host of each rank. COLLECTIVE.
std::vector<std::string> hosts_of(Communicator& ranks) {
  std::array<char, 64> mine{};  // room for what a host's name is in Linux
  host_name().copy(mine.data(), mine.size() - 1);
  std::vector<std::string> hosts;
  for (const auto& name : all_gather_value(ranks, mine)) hosts.emplace_back(name.data());
  return hosts;
}

std::string describe(const TrainSettings& settings, const PsGroup& group) {
  std::int64_t most = 0;
  for (const FlatRange range : group.ranges) most = std::max(most, range.count());
  return fmt::format("{} {} the parameters, {:.1f} MB{}; {} for itself, {}", counted(group.servers(), "server"),
                     group.servers() == 1 ? "holds" : "hold", static_cast<double>(most) * sizeof(float) / (1 << 20),
                     group.servers() == 1 ? "" : " each",
                     group.clients == 1 ? "1 rank trains" : fmt::format("each of {} ranks trains", group.clients),
                     settings.max_staleness ? fmt::format("with gradients that are at most {} old",
                                                          counted(*settings.max_staleness, "update"))
                                            : "with gradients of any age");
}

// The chief's way to the servers, made when its run is set up.
class ChiefsServers {
 public:
  ChiefsServers(const TrainSettings& settings, const ServedJob& job, Messages& messages, PsPatience patience,
                bool sliceable)
      : settings_(settings), job_(job), messages_(messages), patience_(std::move(patience)), sliceable_(sliceable) {}

  const ServerAccess* join(const RunSetup& run) {
    const Workload& workload = run.workload;
    const PsGroup group = group_of(job_, workload.model->table(), sliceable_);
    give_plan(messages_, {.table = workload.model->table(),
                          .schedule = schedule_run(workload.plan),
                          .from = workload.plan.batches->from(),
                          .found = found_items(settings_, workload)});
    client_.emplace(messages_, group, patience_);
    access_.emplace(
        ServerAccess{.client = client_->client(), .description = describe(settings_, group), .is_chief = true});
    return &*access_;
  }

  void leave() { client_->client().leave(); }

 private:
  const TrainSettings& settings_;
  const ServedJob& job_;
  Messages& messages_;
  PsPatience patience_;
  bool sliceable_;
  std::optional<ServedClient> client_;
  std::optional<ServerAccess> access_;
};

}  // namespace

ServedEnd run_served(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                     const TrainingRank& rank) {
  const ServedJob& job = *rank.served;
  check_agreement(job.ranks, job_items(settings, hparams));
  const bool sliceable = is_sliceable(hparams, registry);
  const auto messages = job.make_messages();
  const PsPatience patience{.limit = settings.hang_timeout, .hosts = hosts_of(job.ranks), .trace = &rank.trace};
  ServedEnd end;
  if (rank.is_chief()) {
    ChiefsServers servers(settings, job, *messages, patience, sliceable);
    const TrainOutcome outcome =
        run_training(settings, hparams, registry, rank, [&servers](const RunSetup& run) { return servers.join(run); });
    servers.leave();
    end = {.code = exit_code_of(outcome), .stopped = outcome.stopped};
  } else {
    const ServedPlan plan = await_plan(*messages, nullptr);
    const PsGroup group = group_of(job, plan.table, sliceable);
    if (rank.role == Role::parameter_server) {
      serve(settings, hparams, registry, plan, group, *messages, patience);
    } else {
      train_as_worker(settings, hparams, registry, rank, plan, group, *messages, patience);
    }
  }
  broadcast_value(job.ranks, end, 0);
  messages->close();
  return end;
}

}  // namespace lockstep
