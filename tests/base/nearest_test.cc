#include "base/nearest.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using lockstep::did_you_mean;
using lockstep::expected_one_of;
using lockstep::nearest;
using lockstep::suggestion;

namespace {

const std::vector<std::string> kNames = {"learning_rate", "batch_size", "dropout", "optimizer", "b"};

}

TEST_CASE("nearest: one edit of each kind") {
  CHECK(nearest("learning_rate", kNames) == "learning_rate");
  CHECK(nearest("lerning_rate", kNames) == "learning_rate");
  CHECK(nearest("dropoutt", kNames) == "dropout");
  CHECK(nearest("dropouz", kNames) == "dropout");
  CHECK(nearest("dorpout", kNames) == "dropout");
  CHECK(nearest("optimiser", kNames) == "optimizer");
}

TEST_CASE("nearest: a swap of neighbours is one edit, so that it wins over two others") {
  const std::vector<std::string> names = {"abxyef", "abdcef"};
  CHECK(nearest("abcdef", names) == "abdcef");
}

TEST_CASE("nearest: the first of equally near ones, none if all are far") {
  const std::vector<std::string> names = {"cat", "bat"};
  CHECK(nearest("hat", names) == "cat");
  CHECK(nearest("momentum", kNames).empty());
  CHECK(nearest("aab", kNames).empty());
  CHECK(nearest("", kNames).empty());
  CHECK(nearest("x", {}).empty());
  // Up to a third of the letters may differ.
  CHECK(nearest("abcdxx", std::vector<std::string>{"abcdef"}) == "abcdef");
  CHECK(nearest("abcxxx", std::vector<std::string>{"abcdef"}).empty());
  CHECK(nearest(std::string(1000000, 'b'), kNames).empty());
}

TEST_CASE("nearest: capitals and dashes do not matter") {
  CHECK(nearest("Learning-Rate", kNames) == "learning_rate");
  CHECK(nearest("OPTIMISER", kNames) == "optimizer");
  CHECK(nearest("mine", std::vector<std::string>{"Mine"}) == "Mine");
}

TEST_CASE("nearest: some of a name's words, its beginning, its initials") {
  const std::vector<std::string> problems = {"arrays", "image_fashion_mnist", "image_mnist", "image_shapes"};
  CHECK(nearest("mnist", problems) == "image_mnist");  // of the matches, the name with the fewest other words
  CHECK(nearest("fashion_mnist", problems) == "image_fashion_mnist");
  CHECK(nearest("fashion-MNIST", problems) == "image_fashion_mnist");
  CHECK(nearest("cifar10", problems).empty());
  const std::vector<std::string> models = {"convnet", "lenet", "linear", "mlp", "resnet"};
  CHECK(nearest("conv", models) == "convnet");
  CHECK(nearest("lin", models) == "linear");
  CHECK(nearest("co", models).empty());
  CHECK(nearest("transformer", models).empty());
  CHECK(nearest("lr", kNames) == "learning_rate");
  CHECK(nearest("bs", kNames) == "batch_size");
  CHECK(nearest("epochs", std::vector<std::string>{"train_steps", "train_epochs"}) == "train_epochs");
  // A common beginning ranks before a typo, a typo before common words; among equal beginnings the shortest name wins.
  CHECK(nearest("shape", std::vector<std::string>{"image_shape", "shape_of_all", "shapes"}) == "shapes");
  CHECK(nearest("eval", std::vector<std::string>{"val", "continuous_eval", "evaluate"}) == "evaluate");
  CHECK(nearest("image", std::vector<std::string>{"my_image", "imagenet_full"}) == "imagenet_full");
  CHECK(nearest("images", std::vector<std::string>{"some_images", "image"}) == "image");
}

TEST_CASE("expected_one_of: the choices in a sentence, and the nearest") {
  CHECK(expected_one_of(std::vector<std::string>{"on"}, "x") == "expected on");
  CHECK(expected_one_of(std::vector<std::string>{"rice", "soup"}, "rise") ==
        "expected rice or soup (did you mean 'rice'?)");
  CHECK(expected_one_of(std::vector<std::string>{"auto", "inline", "thread"}, "yes") ==
        "expected auto, inline or thread");
}

TEST_CASE("did_you_mean: a text to append") {
  CHECK(did_you_mean("batchsize", kNames) == " (did you mean 'batch_size'?)");
  CHECK(did_you_mean("momentum", kNames).empty());
  CHECK(suggestion("x") == " (did you mean 'x'?)");
  CHECK(suggestion("").empty());
}
