#include "train/served/worker_part.h"

#include <optional>

#include "base/hparams_range.h"
#include "model/parameter_store.h"
#include "train/served/served_client.h"
#include "train/step/training_steps.h"
#include "train/strategy/parameter_server.h"

namespace lockstep {

std::vector<AgreedItem> found_items(const TrainSettings& settings, const Workload& workload) {
  std::vector<AgreedItem> items = data_items(workload.plan, *workload.problem, workload.data, "");
  const std::vector<AgreedItem> model = model_items(settings.model, workload.model->table());
  items.insert(items.end(), model.begin(), model.end());
  return items;
}

void train_as_worker(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                     const TrainingRank& rank, const ServedPlan& plan, const ServedLink& link) {
  const Workload workload = make_workload(settings, hparams, registry, rank, plan.from);
  check_found(plan, found_items(settings, workload));
  ParameterStore parameters(workload.model->table(), rank.backend.allocator(), rank.backend.allocator(),
                            DType::float32);
  parameters.set_product_dtype(rank.backend, choose_products(settings, rank.backend));
  const auto optimizer = registry.optimizers.find(hparams.text("optimizer")).make(hparams);
  Replica replica(rank.backend, parameters, *optimizer, number_or(0, hparams, "clip_grad_norm", 0));
  ServedClient servers(link, hparams, plan);
  const ServerAccess access{
      .client = servers.client(), .wire_dtype = link.group.wire_dtype, .stop_signal = link.stop_signal};
  const auto strategy = registry.strategies.find(settings.strategy)
                            .make({.settings = settings,
                                   .hparams = hparams,
                                   .plan = workload.plan,
                                   .communicator = rank.compute,
                                   .trace = rank.trace,
                                   .replica = replica,
                                   .servers = &access});
  TrainingSteps steps(
      {.backend = rank.backend,
       .trace = rank.trace,
       .problem = *workload.problem,
       .model = *workload.model,
       .parameters = parameters,
       .plan = *workload.plan.gradients,
       .augmentation = workload.augmentation.get()},
      {.last = workload.plan.train_steps, .shares = strategy->shares(), .seed = settings.seed, .in_order = false});
  for (std::int64_t last = plan.from.step;;) {
    const std::optional<std::int64_t> next = strategy->next_step(last);
    if (!next) break;
    steps.make(*strategy, *next, 0);
    last = *next;
  }
  const auto phase = rank.trace.enter(Phase::finish);
  servers.client().leave();
}

}  // namespace lockstep
