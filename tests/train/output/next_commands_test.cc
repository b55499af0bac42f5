#include "train/output/next_commands.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "support/fake_environment.h"

namespace lockstep {
namespace {

using Lines = std::vector<std::string>;

TEST_CASE("the next commands name the programs and what they need") {
  TrainSettings settings;
  settings.output_dir = "RUN";
  CHECK(next_commands(settings, true, "build/") ==
        Lines{"build/lockstep report RUN", "build/train --schedule=evaluate --output_dir=RUN"});
  settings.data_dir = "/data/fashion mnist";
  settings.usr_lib = "it's/libmine.so";
  CHECK(
      next_commands(settings, true, "").back() ==
      R"(train --schedule=evaluate --output_dir=RUN '--data_dir=/data/fashion mnist' '--usr_lib=it'\''s/libmine.so')");
}

TEST_CASE("a folder of any name is one word, on one line, and no flag") {
  TrainSettings settings;
  settings.output_dir = "-x";
  CHECK(next_commands(settings, true, "").front() == "lockstep report ./-x");
  settings.output_dir = "a\n'\x1b\\b";
  CHECK(next_commands(settings, true, "").front() == R"(lockstep report $'a\012\'\033\\b')");
}

TEST_CASE("where there is nothing else, the training split is evaluated") {
  TrainSettings settings;
  settings.output_dir = "RUN";
  CHECK(next_commands(settings, false, "").back() == "train --schedule=evaluate --output_dir=RUN --eval_split=train");
}

TEST_CASE("a program without others beside it is no place to look for them") {
  CHECK(programs_prefix(fake_environment({})).empty());
  CHECK(programs_prefix(fake_environment({{"PATH", "/bin"}})).empty());
}

}  // namespace
}  // namespace lockstep
