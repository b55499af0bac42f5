#include "data/image_idx_problem.h"
#include "data/image_shapes_problem.h"
#include "model/hparams_sets.h"
#include "model/picture_models.h"
#include "optim/optimizers.h"
#include "train/registry.h"

namespace lockstep {

Registry builtin_registry() {
  Registry registry;
  registry.problems.add("image_shapes", "ten kinds of drawn shapes, 28x28, generated: needs no files (the default)",
                        make_image_shapes);
  registry.problems.add("image_fashion_mnist", "Fashion-MNIST from its four idx files in --data_dir",
                        make_image_fashion_mnist);
  registry.problems.add("image_mnist", "MNIST from its four idx files in --data_dir", make_image_mnist);

  registry.models.add("linear", "one linear layer: logistic or linear regression", make_linear_model);
  registry.models.add("mlp", "hidden layers with an activation and dropout, then a linear layer (the default)",
                      make_mlp_model);

  registry.hparams_sets.add("linear", "Adam, batch 128 a rank, 1000 steps, cosine schedule", linear_hparams);
  registry.hparams_sets.add("mlp", "the same, two hidden layers of 512, ReLU, dropout 0.1", mlp_hparams);

  registry.optimizers.add("sgd", "plain stochastic gradient descent", make_sgd);
  registry.optimizers.add("momentum", "SGD with heavy-ball momentum", make_momentum);
  registry.optimizers.add("adam", "Adam with bias correction", make_adam);
  return registry;
}

}  // namespace lockstep
