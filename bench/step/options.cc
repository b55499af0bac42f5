#include "options.h"

#include <array>
#include <vector>

#include "../device.h"
#include "optim/optimizers.h"

namespace lockstep::bench {
namespace {

constexpr std::array<Flag, 14> kFlags{{
    {.group = "Step",
     .name = "model",
     .placeholder = "NAME",
     .default_text = "mlp",
     .help = "mlp (784-512-512-10), mlp_25m (784-3344-3344-3344-10, Adam), convnet, resnet (16, 32, 64 filters), lm (6 "
             "layers of 512, sequences of 256, Adam) or gpt2 (124 million parameters, sequences of 64, Adam)"},
    {.group = "Step",
     .name = "batch",
     .placeholder = "N",
     .default_text = "",
     .help = "samples of a rank and a step; 128, lm 8 and gpt2 4 sequences"},
    {.group = "Step",
     .name = "length",
     .placeholder = "N",
     .default_text = "",
     .help = "symbols of a sequence of lm (256 at most) and gpt2 (1024 at most)"},
    {.group = "Step",
     .name = "rounds",
     .placeholder = "N",
     .default_text = "",
     .help = "rounds of steps and of products; 5, with --uncoupled 10"},
    {.group = "Step",
     .name = "groups",
     .placeholder = "N",
     .default_text = "12",
     .help =
         "groups of steps in a round; times are means of a group (20 steps of mlp, 4 of convnet, 1 of the others; on "
         "a GPU five times as many)"},
    {.group = "Step",
     .name = "seconds",
     .placeholder = "S",
     .default_text = "",
     .help = "as many groups, in place of --groups, as the steps of all rounds take about so long"},
    {.group = "Step",
     .name = "uncoupled",
     .placeholder = "",
     .default_text = "",
     .help = "compare with the same ranks without exchange, in place of the products; under mpirun"},
    {.group = "Step",
     .name = "cuda_graph",
     .placeholder = "",
     .default_text = "",
     .help = "on a GPU: each step as CUDA graphs"},
    {.group = "Step",
     .name = "shard_optimizer",
     .placeholder = "",
     .default_text = "",
     .help = "each rank updates a part of the parameters; without exchange each updates all of them"},
    {.group = "Step",
     .name = "precision",
     .placeholder = "TYPE",
     .default_text = "float32",
     .help = "what linear layers multiply, float32 or bfloat16"},
    kDeviceFlag,
    {.group = "Where",
     .name = "collective",
     .placeholder = "NAME",
     .default_text = "auto",
     .help = "how gradients are summed: auto, nccl, ring, mpi, shm, hierarchical or self"},
    {.group = "Step", .name = "json", .placeholder = "", .default_text = "", .help = "print one JSON object"},
    {.group = "Step", .name = "help", .placeholder = "", .default_text = "", .help = "print this text"},
}};

std::unique_ptr<Optimizer> momentum() { return make_momentum(HParams().set("optimizer_momentum_momentum", 0.9)); }
std::unique_ptr<Optimizer> adam() { return make_adam(adam_hparams()); }

constexpr std::array<ModelKind, 6> kModels{{{"mlp", make_mlp, momentum, 20, 128, 0},
                                            {"mlp_25m", make_mlp_25m, adam, 1, 128, 0},
                                            {"convnet", make_convnet, momentum, 4, 128, 0},
                                            {"resnet", make_resnet, momentum, 1, 128, 0},
                                            {"lm", make_lm, adam, 1, 8, 256},
                                            {"gpt2", make_gpt2, adam, 1, 4, 64}}};

std::int64_t length_of(const CommandLine& line, const ModelKind& model) {
  if (!line.given("length")) return model.length;
  if (model.length == 0) line.refuse("length", std::string(model.name) + " is not a model of sequences");
  const Network network = model.network({.batch = 1, .length = model.length, .rows = Rows::operations});
  return line.integer("length", 1, network.model->longest_sequence());
}

}  // namespace

std::span<const Flag> step_flags() { return kFlags; }

StepOptions parse_step_options(std::span<const std::string> args) {
  const CommandLine line("bench/step", kFlags, args);
  std::vector<std::string> models;
  models.reserve(kModels.size());
  for (const ModelKind& model : kModels) models.emplace_back(model.name);
  constexpr std::array kTypes{DType::float32, DType::bfloat16};
  const std::array<std::string, 2> types{name(kTypes[0]), name(kTypes[1])};
  const bool uncoupled = line.on("uncoupled");
  const ModelKind& model = kModels.at(line.choice("model", models));
  StepOptions options{
      .model = &model,
      .device = line.text("device"),
      .collective = line.text("collective"),
      .batch = line.given("batch") ? line.integer("batch", 1, 1 << 16) : model.batch,
      .length = length_of(line, model),
      .rounds = line.given("rounds") ? line.integer("rounds", 1, 1000) : std::int64_t{uncoupled ? 10 : 5},
      .groups = line.integer("groups", 1, 1000),
      .seconds = {},
      .precision = kTypes.at(line.choice("precision", types)),
      .cuda_graph = line.on("cuda_graph"),
      .uncoupled = uncoupled,
      .shard_optimizer = line.on("shard_optimizer"),
      .json = line.on("json")};
  if (line.given("seconds")) options.seconds = line.number_above_zero("seconds", 3600);
  return options;
}

}  // namespace lockstep::bench
