#include "train/saved/data_of_run.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_folder.h"

namespace lockstep {
namespace {

OpenedCheckpoint checkpoint_in(const std::string& folder) {
  OpenedCheckpoint opened;
  opened.file = folder + "/model.ckpt-20.h5";
  opened.header.problem = "arrays";
  return opened;
}

}  // namespace

TEST_CASE("a checkpoint's data are those that the config.json of its run names") {
  const TemporaryFolder run;
  const std::string config = run / "config.json";
  const auto write = [&](const std::string& text) { std::ofstream(config) << text; };
  CHECK(data_of_run(checkpoint_in(run.path()), "").data_dir.empty());
  write(R"({"start": {"ranks": 2}, "problem": "arrays", "data_dir": "here"})");
  CHECK(data_of_run(checkpoint_in(run.path()), "").data_dir == "here");
  CHECK(data_of_run(checkpoint_in(run.path()), "").config == config);
  CHECK(data_of_run(checkpoint_in(run / "best"), "").data_dir == "here");
  // A file outside the run, such as an average.
  CHECK(data_of_run(checkpoint_in("nowhere"), "").data_dir.empty());
  CHECK(data_of_run(checkpoint_in("nowhere"), run.path()).data_dir == "here");

  for (const char* other : {R"({"problem": "sequences", "data_dir": "here"})", R"({"problem": "arrays"})",
                            R"({"problem": "arrays", "data_dir": 3})", R"({"problem": "arr)", "[]", ""}) {
    CAPTURE(other);
    write(other);
    CHECK(data_of_run(checkpoint_in(run.path()), "").data_dir.empty());
  }
  std::filesystem::remove(config);
  std::filesystem::create_directory(config);
  CHECK(data_of_run(checkpoint_in(run.path()), "").data_dir.empty());
}

}  // namespace lockstep
