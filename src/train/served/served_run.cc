#include "train/served/served_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/counted.h"
#include "base/error.h"
#include "collective/watch/ranks_watch.h"
#include "optim/optimizer_hparams.h"
#include "train/config/agreement.h"
#include "train/output/rank_logs.h"
#include "train/run.h"
#include "train/run_setup.h"
#include "train/served/served_client.h"
#include "train/served/served_end.h"
#include "train/served/served_link.h"
#include "train/served/served_plan.h"
#include "train/served/served_rank.h"
#include "train/served/server_part.h"
#include "train/served/stale_gradients.h"
#include "train/served/update_order.h"
#include "train/served/worker_part.h"
#include "train/strategy/parameter_server.h"

namespace lockstep {
namespace {

std::string describe(const TrainSettings& settings, const PsGroup& group, const ServedTransport& transport) {
  std::int64_t most = 0;
  for (const FlatRange range : group.ranges) most = std::max(most, range.count());
  const std::string sums =
      settings.sum_updates == 1 ? "" : fmt::format(", {} of them in an update", settings.sum_updates);
  return fmt::format("{} {} the parameters, {:.1f} MB{}; {} for itself, {}{}; {}", counted(group.servers(), "server"),
                     group.servers() == 1 ? "holds" : "hold", static_cast<double>(most) * sizeof(float) / (1 << 20),
                     group.servers() == 1 ? "" : " each",
                     group.clients == 1 ? "1 rank trains" : fmt::format("each of {} ranks trains", group.clients),
                     settings.max_staleness ? fmt::format("with gradients that are at most {} old",
                                                          counted(*settings.max_staleness, "update"))
                                            : "with gradients of any age",
                     transport.adds ? ", and adds its updates to the values itself" : sums, transport.description);
}

// Ranks can add their updates by themselves if these depend on nothing but the gradient.
void check_added_updates(const TrainSettings& settings, const HParams& hparams) {
  if (settings.ps_apply != "accumulate") return;
  const auto refuse = [](const std::string& what, const char* cure) {
    throw Error(ExitCode::configuration,
                fmt::format("--ps_apply=accumulate: {}; give --hparams={}, or --ps_apply=optimizer", what, cure),
                Scope::every_rank);
  };
  const std::string& optimizer = hparams.text("optimizer");
  if (optimizer != "sgd") {
    refuse(fmt::format("it works with plain SGD only, and the optimizer is {}", optimizer), "optimizer=sgd");
  }
  if (const double decay = weight_decay_of(hparams); decay != 0) {
    refuse(fmt::format("it works without weight decay only, and weight_decay is {}", decay), "weight_decay=0");
  }
}

// The chief's way to the servers, made when its run is set up.
class ChiefsServers {
 public:
  // Throws as line_to_replay().
  ChiefsServers(const TrainSettings& settings, const ServedJob& job, ServedRank& rank, Log& log)
      : settings_(settings), job_(job), rank_(rank), log_(log), replayed_(line_to_replay(settings)) {}

  const ServerAccess* join(const RunSetup& run) {
    const Workload& workload = run.workload;
    const ServedPlan plan{.table = workload.model->table(),
                          .schedule = schedule_run(workload.plan),
                          .from = workload.plan.batches->from(),
                          .found = found_items(settings_, workload),
                          .batches = batches_digest(workload),
                          .replayed = replayed_};
    give_plan(rank_.messages(), plan);
    check_replay(settings_, plan, job_);
    rank_.connect(plan.table);
    const ServedLink link = rank_.link();
    const std::string warning = warn_of_stale_gradients(settings_, run.hparams.text("optimizer"), link.group.clients);
    if (!warning.empty()) log_.warning("{}", warning);
    client_.emplace(link, run.hparams, plan);
    access_.emplace(ServerAccess{.client = client_->client(),
                                 .wire_dtype = link.group.wire_dtype,
                                 .description = describe(settings_, link.group, link.transport),
                                 .is_chief = true});
    return &*access_;
  }

  void leave() {
    if (access_) access_->client.leave();
  }

 private:
  const TrainSettings& settings_;
  const ServedJob& job_;
  ServedRank& rank_;
  Log& log_;
  std::string replayed_;
  std::optional<ServedClient> client_;
  std::optional<ServerAccess> access_;
};

void check_losses(const TrainSettings& settings) {
  if (settings.on_worker_loss != "continue" || settings.ps_replay.empty()) return;
  throw Error(ExitCode::usage,
              "--on_worker_loss=continue: the order of --ps_replay needs all its ranks; leave one of the two out",
              Scope::every_rank);
}

}  // namespace

ServedEnd run_served(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                     const TrainingRank& rank) {
  const ServedJob& job = *rank.served;
  check_losses(settings);
  check_agreement(job.ranks, job_items(settings, hparams));
  check_added_updates(settings, hparams);
  const auto optimizer = registry.optimizers.find(hparams.text("optimizer")).make(hparams);
  ServedRank served(settings, *optimizer, rank);
  ServedEnd end;
  if (rank.is_chief()) {
    ChiefsServers servers(settings, job, served, rank.log);
    const TrainOutcome outcome =
        run_training(settings, hparams, registry, rank, [&servers](const RunSetup& run) { return servers.join(run); });
    servers.leave();
    end = {.code = exit_code_of(outcome),
           .stopped = outcome.stopped,
           .lost_ranks = job.watch != nullptr && job.watch->has_any_ended()};
    give_end(served.messages(), end, rank);
  } else {
    const ServedPlan plan = await_plan(served.messages(), nullptr);
    if (!settings.output_dir.empty()) open_rank_logs(settings.output_dir, rank);
    check_replay(settings, plan, job);
    served.connect(plan.table);
    if (rank.role == Role::parameter_server) {
      serve(settings, hparams, registry, plan, served.link());
    } else {
      train_as_worker(settings, hparams, registry, rank, plan, served.link());
    }
    end = await_end(served.messages(), rank);
  }
  if (!end.lost_ranks) served.close();
  return end;
}

}  // namespace lockstep
