#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/layer_model.h"
#include "model/layers.h"
#include "support/gpu/fake_devices.h"
#include "support/temporary_folder.h"
#include "train_rank.h"

// What the tests of runs on the stand-in for a GPU share: what is trained, and where.
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
  settings.problem = problem;
  settings.model = model;
  settings.hparams_set = "transformer_test";
  settings.hparams =
      "num_hidden_layers=1,batch_size=80,optimizer=sgd,learning_rate_schedule=constant,learning_rate_constant=1,"
      "learning_rate=0.1,max_length=" +
      std::to_string(max_length);
  settings.global_batch_size = 80;  // symbols
  return settings;
}

// Sequences from others: an encoder and a decoder.
inline TrainSettings pair_settings() { return transformer_settings("transformer", "algorithmic_sort_problem", 9); }

inline TrainSettings language_settings(const TemporaryFolder& data) {
  std::ofstream text(std::filesystem::path(data.path()) / "text.txt");
  for (int i = 0; i < 400; ++i) text << i << " bottles of beer, take " << i % 7 << " down\n";
  TrainSettings settings = transformer_settings("transformer_lm", "languagemodel_text", 24);
  settings.data_dir = data.path();
  return settings;
}

// On a device of its own kind for each rank: the CPU, or GPU 0, which the ranks share.
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

// A layer that does something to the GPU, or to its values, at a step.
class AtStep final : public Layer {
 public:
  AtStep(std::int64_t step, std::function<void(const Tensor&, Pass&)> what) : step_(step), what_(std::move(what)) {}
  Shape declare(const Shape& input, Declaration& /*declaration*/) override { return input; }
  Tensor forward(const Tensor& input, Pass& pass) override {
    if (pass.mode == Pass::Mode::train && pass.step == step_) what_(input, pass);
    return input;
  }
  Tensor backward(const Tensor& output_gradient, InputGradient /*wanted*/, Pass& /*pass*/) override {
    return output_gradient;
  }

 private:
  std::int64_t step_;
  std::function<void(const Tensor&, Pass&)> what_;
};

// The built-in registry with a model `odd`, which does it.
inline Registry with_odd_model(std::int64_t step, const std::function<void(const Tensor&, Pass&)>& what) {
  Registry registry = builtin_registry();
  registry.models.add("odd", "for tests", [=](const HParams&, const ProblemShape& shape) -> std::unique_ptr<Model> {
    std::vector<LayerPointer> layers;
    layers.push_back(make_linear(12, LinearInit::he_uniform));
    layers.push_back(make_activation(Activation::relu));
    layers.push_back(std::make_unique<AtStep>(step, what));
    layers.push_back(make_linear(shape.outputs, LinearInit::glorot_uniform));
    return std::make_unique<LayerModel>(make_sequential(std::move(layers)), shape);
  });
  registry.hparams_sets.add("odd", "for tests", [] { return HParams(); });
  return registry;
}

inline TrainSettings odd_settings() {
  TrainSettings settings = mlp_settings();
  settings.model = "odd";
  settings.hparams = "optimizer=sgd,learning_rate=0.1,learning_rate_schedule=constant";
  return settings;
}

}  // namespace lockstep
