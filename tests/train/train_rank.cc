#include "train_rank.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "collective/self_communicator.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

// The loss of every train line of a metrics file.
std::vector<double> read_losses(const std::filesystem::path& file) {
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

// A name that all ranks of a world agree on, chosen by its rank 0.
std::string temporary_name(Communicator& world) {
  static std::atomic<int> count{0};
  std::array<char, 128> name{};
  if (world.rank() == 0) {
    const std::string path =
        std::filesystem::temp_directory_path() / fmt::format("lockstep_train_{}_{}", ::getpid(), ++count);
    std::copy(path.begin(), path.end(), name.begin());
  }
  broadcast_value(world, name, 0);
  return name.data();
}

}  // namespace

TrainSettings small_settings() {
  TrainSettings settings;
  settings.hparams = "hidden_size=24,optimizer=sgd,dropout=0.1,learning_rate_schedule=constant";
  settings.train_steps = 20;
  settings.global_batch_size = 40;
  settings.log_every = 1;
  return settings;
}

TestRun train_rank(const RankContext& rank, TrainSettings settings, const Registry& registry,
                   const std::atomic<bool>* stop_requested) {
  Communicator& world = rank.communicator;
  settings.output_dir = temporary_name(world);
  const auto backend = make_cpu_backend();
  TestRun run;
  {
    Log log(world.rank(), world.size(), true);
    run.outcome = run_training(settings, resolve_hparams(settings, registry), registry,
        {.world = world, .backend = *backend, .trace = rank.trace, .log = log, .stop_requested = stop_requested});
  }
  world.barrier();
  if (world.rank() == 0) {
    run.losses = read_losses(std::filesystem::path(settings.output_dir) / "metrics.jsonl");
    std::filesystem::remove_all(settings.output_dir);
  }
  return run;
}

TestRun train_alone(const TrainSettings& settings, const Registry& registry) {
  const auto page = NodePage::in_process(1);
  Trace trace(page->line(0), 0);
  const auto self = make_self_communicator(trace);
  const RankContext rank{*self, trace, *page};
  return train_rank(rank, settings, registry);
}

}  // namespace lockstep
