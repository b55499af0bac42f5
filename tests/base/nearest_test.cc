#include "base/nearest.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using lockstep::did_you_mean;
using lockstep::nearest;

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
  // A third of the letters may differ, more may not.
  CHECK(nearest("abcdxx", std::vector<std::string>{"abcdef"}) == "abcdef");
  CHECK(nearest("abcxxx", std::vector<std::string>{"abcdef"}).empty());
  CHECK(nearest(std::string(1000000, 'b'), kNames).empty());
}

TEST_CASE("did_you_mean: a text to append") {
  CHECK(did_you_mean("batchsize", kNames) == " (did you mean 'batch_size'?)");
  CHECK(did_you_mean("momentum", kNames).empty());
}
