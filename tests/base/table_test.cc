#include "base/table.h"

#include <doctest/doctest.h>

using lockstep::Error;
using lockstep::ExitCode;
using lockstep::Table;

TEST_CASE("table: finds what was added, lists it by name") {
  Table<int> models("model");
  models.add("mlp", "layers", 1);
  models.add("linear", "one product", 2);
  CHECK(models.find("mlp") == 1);
  CHECK(models.has("linear"));
  CHECK_FALSE(models.has("lin"));
  CHECK(models.kind() == "model");
  CHECK(models.names() == std::vector<std::string>{"linear", "mlp"});
  CHECK(models.entries().at("linear").help == "one product");
}

TEST_CASE("table: an unknown name is a usage error of every rank, with the nearest one") {
  Table<int> models("model");
  models.add("linear", "", 2);
  CHECK_THROWS_WITH_AS(models.find("liner"), "no model 'liner' (did you mean 'linear'?); --registry_help lists them",
                       Error);
  try {
    models.find("resnet");
    FAIL("found what is not there");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    CHECK(error.scope() == lockstep::Scope::every_rank);
    CHECK(std::string(error.what()) == "no model 'resnet'; --registry_help lists them");
  }
}

TEST_CASE("table: what other programs call an entry leads to it, and is not its name") {
  Table<int> models("model");
  models.add("convnet", "", 1, {"cnn", "conv2d"});
  models.add("mlp", "", 2, {"dense"});
  CHECK_FALSE(models.has("cnn"));
  CHECK_THROWS_WITH_AS(models.find("cnn"), "no model 'cnn' (did you mean 'convnet'?); --registry_help lists them",
                       Error);
  CHECK_THROWS_WITH_AS(models.find("CNN"), "no model 'CNN' (did you mean 'convnet'?); --registry_help lists them",
                       Error);
  CHECK_THROWS_WITH_AS(models.find("conv"), "no model 'conv' (did you mean 'convnet'?); --registry_help lists them",
                       Error);
  CHECK_THROWS_WITH_AS(models.find("den\x1bse"), "no model 'den\\x1bse'; --registry_help lists them", Error);
}

TEST_CASE("table: a name is taken once, and the first entry stays") {
  Table<int> models("model");
  models.add("mlp", "first", 1);
  CHECK_THROWS_WITH_AS(models.add("mlp", "second", 2), "model 'mlp' is registered twice; rename one of them", Error);
  CHECK(models.find("mlp") == 1);
}
