#include <memory>
#include <string>
#include <string_view>

#include "collective/make_communicator.h"
#include "data/problems.h"
#include "data/sequences/algorithmic_problems.h"
#include "data/sequences/sequence_sides.h"
#include "model/image_models.h"
#include "model/transformer/transformer.h"
#include "optim/optimizers.h"
#include "train/registry/registry.h"
#include "train/registry/transformer_sets.h"
#include "train/strategy/central_storage.h"
#include "train/strategy/model_averaging.h"
#include "train/strategy/parameter_server.h"
#include "train/strategy/sync.h"

namespace lockstep {
namespace {

// The model's own hparams, and the settings that it trains best with.
HParams convnet_set() {
  return convnet_hparams()
      .set("normalize_inputs", true)
      .set("optimizer", std::string("adamw"))
      .set("learning_rate", 0.002)
      .set("weight_decay", 0.05);
}

using SequencesMaker = std::unique_ptr<Problem> (*)(std::string_view name, const ProblemOptions& options);

// Adds a problem of sequences under its name, and with each ending that exchanges or copies its sides.
void add_with_sides(Table<ProblemKind>& problems, const std::string& name, const std::string& help,
                    SequencesMaker make) {
  const auto maker_of = [make](const std::string& full_name) {
    const auto make_it = [make, full_name](const ProblemOptions& options) { return make(full_name, options); };
    return ProblemKind(make_it, "transformer");
  };
  problems.add(name, help, maker_of(name));
  for (const std::string_view ending : kSideEndings) {
    const std::string arranged = name + std::string(ending);
    problems.add_unlisted(arranged, maker_of(arranged));
  }
}

}  // namespace

Registry builtin_registry() {
  Registry registry;
  registry.problems.add("image_shapes", "ten kinds of drawn shapes, 28x28, generated: needs no files (the default)",
                        make_image_shapes);
  registry.problems.add("image_fashion_mnist", "Fashion-MNIST from its four idx files in --data_dir",
                        make_image_fashion_mnist);
  registry.problems.add("image_mnist", "MNIST from its four idx files in --data_dir", make_image_mnist);
  for (const AlgorithmicProblem& problem : kAlgorithmicProblems) {
    add_with_sides(registry.problems, std::string(problem.name), describe(problem), make_algorithmic);
  }
  add_with_sides(registry.problems, "sequences",
                 "sequences of your own in --data_dir: train.h5, or train_targets.npy and train_targets_lengths.npy",
                 make_sequences);
  registry.problems.add("languagemodel_text",
                        "the text of .txt or .txt.gz files in --data_dir; hparam text_unit names its tokenizer",
                        {make_languagemodel_text, "transformer_lm"},
                        {"languagemodel", "text", "char_lm", "shakespeare_char", "languagemodel_ptb_characters"});
  registry.problems.add("arrays",
                        "arrays of your own in --data_dir: train.h5, or train_inputs.npy and train_targets.npy",
                        make_arrays, {"npy", "numpy", "h5", "hdf5"});

  for (const TokenizerKind& kind : {character_tokenizer(), word_tokenizer(), byte_tokenizer()}) {
    registry.tokenizers.add(std::string(kind.name), std::string(kind.help), kind);
  }

  registry.models.add("linear", "one linear layer: logistic or linear regression", make_linear_model,
                      {"logistic_regression", "linear_regression", "softmax_regression"});
  registry.models.add("mlp", "hidden layers with an activation and dropout, then a linear layer (the default)",
                      make_mlp_model, {"dnn", "dense", "fc", "fully_connected", "feedforward"});
  registry.models.add("convnet", "blocks of convolution, ReLU and pooling, then linear layers", make_convnet_model,
                      {"cnn", "simple_cnn"});
  registry.models.add("lenet", "LeNet-5: two convolutions with average pooling, three linear layers", make_lenet_model);
  registry.models.add("resnet", "a small residual network with group norm", make_resnet_model);

  registry.models.add("transformer_lm",
                      "a Transformer's decoder alone: a language model, each symbol from those before",
                      make_transformer_lm, {"gpt", "gpt2", "nanogpt", "language_model"});
  registry.models.add("transformer", "encoder and decoder with attention: sequences from other sequences",
                      make_transformer, {"seq2seq", "encoder_decoder"});

  registry.hparams_sets.add("linear", "the common settings: Adam, batch 128 per rank, 1000 steps, cosine schedule",
                            [] { return HParams(); });
  registry.hparams_sets.add("mlp", "two hidden layers of 512, ReLU, dropout 0.1", mlp_hparams);
  registry.hparams_sets.add(
      "convnet", "3x3 convolutions of 32, 64 and 128 filters, a hidden layer of 128, dropout 0.3, AdamW", convnet_set);
  registry.hparams_sets.add("lenet", "the common settings", [] { return HParams(); });
  registry.hparams_sets.add("resnet", "three stages of two blocks, 16, 32 and 64 filters", resnet_hparams);
  add_transformer_sets(registry);

  registry.optimizers.add("sgd", "plain stochastic gradient descent", {sgd_hparams(), make_sgd});
  registry.optimizers.add("momentum", "SGD with heavy-ball momentum", {momentum_hparams(), make_momentum});
  registry.optimizers.add("nesterov", "SGD with Nesterov's momentum", {momentum_hparams(), make_nesterov});
  registry.optimizers.add("adam", "Adam with bias correction", {adam_hparams(), make_adam});
  registry.optimizers.add("adamw", "Adam with decoupled weight decay", {adam_hparams(), make_adamw});
  registry.optimizers.add("rmsprop", "gradients over the root of their mean square", {rmsprop_hparams(), make_rmsprop});
  registry.optimizers.add("adagrad", "gradients over the root of the sum of their squares",
                          {adagrad_hparams(), make_adagrad});
  registry.optimizers.add("lamb", "Adam with a rate for each layer, for large batches", {adam_hparams(), make_lamb});
  registry.optimizers.add("lars", "momentum with a rate for each layer, for large batches",
                          {lars_hparams(), make_lars});
  registry.optimizers.add("adafactor", "mean squares of rows and columns alone, rates relative to the variables",
                          {adafactor_hparams(), make_adafactor});

  registry.devices.add("cpu", "the cores that a rank may use (the default where there is no GPU)", cpu_devices());
  registry.devices.add("cuda", "a GPU of NVIDIA's for each rank of a host, or cuda:N, the one of that number",
                       cuda_devices(), {"gpu", "nvidia"});

  registry.communicators.add(
      "auto",
      "nccl where each rank has a GPU of its own; else mpi, shm (one host), ring (several hosts "
      "with a rank each) or hierarchical, from a table by hosts, ranks and bucket size (the default)",
      connect_auto);
  registry.communicators.add("mpi", "MPI's all-reduce, in pieces of at most 16 MB", connect_mpi);
  registry.communicators.add("shm", "memory that all ranks share, on one host", connect_shm);
  registry.communicators.add("hierarchical", "shm on each host, and messages between one rank of each",
                             connect_hierarchical);
  registry.communicators.add("self", "a rank alone, which has nothing to sum", connect_self);
  registry.communicators.add("nccl", "NCCL, for ranks with a GPU each; it chooses the algorithm", connect_nccl);
  registry.communicators.add("ring",
                             "between hosts, sums that go round in segments while the next are on their way; on GPUs "
                             "nccl by rings only (NCCL_ALGO=Ring)",
                             connect_ring);

  registry.strategies.add("sync", "all ranks make each step together (the default)", sync_strategy());
  registry.strategies.add("model_averaging",
                          "each rank trains alone, and the mean of the replicas is taken every --sync_every steps and "
                          "at the end",
                          model_averaging_strategy());
  registry.strategies.add("parameter_server",
                          "ranks of --ps_replicas hold the parameters; each other rank trains alone, and brings them "
                          "its gradients without waiting for the others",
                          parameter_server_strategy());
  registry.strategies.add(
      "central_storage", "the results of sync, with one copy of parameters and optimizer state for all ranks of a host",
      central_storage_strategy());
  return registry;
}

}  // namespace lockstep
