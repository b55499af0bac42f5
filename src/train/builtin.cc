#include "data/arrays_problem.h"
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
  registry.problems.add(
      "arrays", "arrays of your own in --data_dir: train.h5, or train_inputs.npy and train_targets.npy", make_arrays);

  registry.models.add("linear", "one linear layer: logistic or linear regression", make_linear_model);
  registry.models.add("mlp", "hidden layers with an activation and dropout, then a linear layer (the default)",
                      make_mlp_model);
  registry.models.add("convnet", "blocks of convolution, ReLU and pooling, then linear layers", make_convnet_model);
  registry.models.add("lenet", "LeNet-5: two convolutions with average pooling, three linear layers", make_lenet_model);
  registry.models.add("resnet", "a small residual network with group norm", make_resnet_model);

  registry.hparams_sets.add("linear", "Adam, batch 128 a rank, 1000 steps, cosine schedule, as in all sets",
                            linear_hparams);
  registry.hparams_sets.add("mlp", "two hidden layers of 512, ReLU, dropout 0.1", mlp_hparams);
  registry.hparams_sets.add("convnet",
                            "3x3 convolutions of 32, 64 and 128 filters, a hidden layer of 128, dropout 0.3, AdamW",
                            convnet_hparams);
  registry.hparams_sets.add("convnet_peer", "3x3x32 and 3x3x64 without padding, dropout 0.5, momentum at 0.01",
                            convnet_peer_hparams);
  registry.hparams_sets.add("lenet", "nothing of its own", lenet_hparams);
  registry.hparams_sets.add("resnet", "three stages of two blocks, 16, 32 and 64 filters", resnet_hparams);

  registry.optimizers.add("sgd", "plain stochastic gradient descent", make_sgd);
  registry.optimizers.add("momentum", "SGD with heavy-ball momentum", make_momentum);
  registry.optimizers.add("nesterov", "SGD with Nesterov's momentum", make_nesterov);
  registry.optimizers.add("adam", "Adam with bias correction", make_adam);
  registry.optimizers.add("adamw", "Adam with decoupled weight decay", make_adamw);
  registry.optimizers.add("rmsprop", "gradients over the root of their mean square", make_rmsprop);
  registry.optimizers.add("adagrad", "gradients over the root of the sum of their squares", make_adagrad);
  registry.optimizers.add("lamb", "Adam with a rate for each layer, for large batches", make_lamb);
  registry.optimizers.add("lars", "momentum with a rate for each layer, for large batches", make_lars);
  return registry;
}

}  // namespace lockstep
