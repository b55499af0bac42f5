#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "support/gpu/fake_devices.h"
#include "support/temporary_folder.h"
#include "train_rank.h"

// Shared by the tests of runs on fake GPUs: settings and devices.
namespace lockstep {

inline TrainSettings mlp_settings() {
  TrainSettings settings = small_settings();
  settings.eval_steps = 1;
  return settings;
}

inline TrainSettings convnet_settings() {
  TrainSettings settings = mlp_settings();
  settings.model = "convnet";
  settings.hparams =
      "num_blocks=2,num_filters=3,hidden_size=12,optimizer=sgd,learning_rate=0.05,dropout=0.1,"
      "learning_rate_schedule=constant";
  settings.global_batch_size = 8;
  return settings;
}

inline TrainSettings transformer_settings(const std::string& model, const std::string& problem, int max_length) {
  TrainSettings settings = mlp_settings();
  settings.train_steps = 8;  // each takes the stand-in half a second
  settings.problem = problem;
  settings.model = model;
  settings.hparams_set = "transformer_test";
  settings.hparams =
      "num_hidden_layers=1,batch_size=80,optimizer=sgd,learning_rate_schedule=constant,learning_rate_constant=1,"
      "learning_rate=0.1,max_length=" +
      std::to_string(max_length);
  settings.global_batch_size = 80;  // in symbols
  return settings;
}

// Sequences made from others: an encoder and a decoder.
inline TrainSettings pair_settings() { return transformer_settings("transformer", "algorithmic_sort_problem", 9); }

inline TrainSettings language_settings(const TemporaryFolder& data) {
  std::ofstream text(std::filesystem::path(data.path()) / "text.txt");
  for (int i = 0; i < 400; ++i) text << i << " bottles of beer, take " << i % 7 << " down\n";
  TrainSettings settings = transformer_settings("transformer_lm", "languagemodel_text", 24);
  settings.data_dir = data.path();
  return settings;
}

// Trains on a device: the CPU, or the fake GPU 0, which the ranks share with a backend each.
inline TestRun run_on(const std::string& device, const RankContext& rank, const TrainSettings& settings,
                      const Registry& registry = builtin_registry()) {
  if (device == "cpu") return train_rank(rank, settings, registry);
  const auto backend = fake_devices().make(0);
  return train_rank_on(*backend, rank, settings, registry);
}

inline TestRun alone_on(const std::string& device, const TrainSettings& settings,
                        const Registry& registry = builtin_registry()) {
  TestRun run;
  for_thread_ranks(1, [&](RankContext& rank) { run = run_on(device, rank, settings, registry); });
  return run;
}

}  // namespace lockstep
