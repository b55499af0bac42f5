#include "train_rank.h"

#include <array>
#include <filesystem>
#include <fstream>

#include "collective/self_communicator.h"
#include "data/forwarding_problem.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

// Returns the loss of every train line in a metrics file.
std::vector<double> read_losses(const std::string& file) {
  std::vector<double> losses;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const std::string field = "\"loss\": ";
    const auto at = line.find(field);
    if (line.find("\"kind\": \"train\"") != std::string::npos && at != std::string::npos) {
      losses.push_back(std::stod(line.substr(at + field.size())));
    }
  }
  return losses;
}

// image_shapes without its dev split.
class ShapesWithoutDev final : public ForwardingProblem {
 public:
  using ForwardingProblem::ForwardingProblem;
  std::int64_t count(Split split) const override { return split == Split::dev ? 0 : inner().count(split); }
};

}  // namespace

SharedFolder::SharedFolder(Communicator& world) {
  if (world.rank() == 0) folder_.emplace();
  std::array<char, 128> path{};
  if (folder_) folder_->path().copy(path.data(), path.size() - 1);
  broadcast_value(world, path, 0);
  path_ = path.data();
}

bool SharedFolder::has(const std::string& file) const { return std::filesystem::exists(path_ + "/" + file); }

TrainSettings small_settings() {
  TrainSettings settings;
  settings.hparams = "hidden_size=24,optimizer=sgd,learning_rate=0.1,dropout=0.1,learning_rate_schedule=constant";
  settings.train_steps = 20;
  settings.global_batch_size = 40;
  settings.log_every = 1;
  return settings;
}

TestRun train_rank(const RankContext& rank, TrainSettings settings, const Registry& registry,
                   const std::atomic<bool>* stop_requested, bool has_shares) {
  const auto backend = make_cpu_backend();
  return train_rank_on(*backend, rank, std::move(settings), registry, stop_requested, has_shares);
}

TestRun train_rank_on(Backend& backend, const RankContext& rank, TrainSettings settings, const Registry& registry,
                      const std::atomic<bool>* stop_requested, bool has_shares) {
  Communicator& world = rank.communicator;
  std::optional<SharedFolder> folder;
  if (settings.output_dir.empty()) settings.output_dir = folder.emplace(world).path();
  TestRun run;
  {
    Log log(world.rank(), world.size(), true);
    run.outcome = run_training(settings, resolve_hparams(settings, registry), registry,
                               {.world = world,
                                .compute = world,
                                .backend = backend,
                                .trace = rank.trace,
                                .log = log,
                                .has_shares = has_shares,
                                .stop = {.requested = stop_requested}});
  }
  meet(world);
  if (world.rank() == 0) run.losses = read_losses(settings.output_dir + "/metrics.jsonl");
  return run;
}

Registry registry_without_dev() {
  Registry registry = builtin_registry();
  registry.problems.add("no_dev", "no dev split", [](const ProblemOptions& options) {
    return std::make_unique<ShapesWithoutDev>(builtin_registry().problems.find("image_shapes")(options));
  });
  return registry;
}

void as_training_rank(const RankContext& rank, const std::function<void(const TrainingRank&)>& body) {
  const auto backend = make_backend({});
  Communicator& world = rank.communicator;
  Log log(world.rank(), world.size(), true);
  body({.world = world, .compute = world, .backend = *backend, .trace = rank.trace, .log = log});
}

TestRun train_alone(const TrainSettings& settings, const Registry& registry) {
  const auto page = NodePage::in_process(1);
  Trace trace(page->line(0), 0);
  const auto self = make_self_communicator(trace);
  const RankContext rank{*self, trace, *page};
  return train_rank(rank, settings, registry);
}

}  // namespace lockstep
