#include "launch/tools/average_checkpoints.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/input_file.h"
#include "checkpoint/checkpoint_states.h"
#include "checkpoint/decoder.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

// A folder of checkpoints, each with one value for all its parameters, and another for their moving average.
class Run {
 public:
  Run() {
    save(9, 1, 10);
    save(10, 2, 20);
    save(100, 6, 60);
  }

  void save(std::int64_t step, float value, float average) const {
    CheckpointHeader header = some_header();
    header.step = header.cursor.step = step;
    const std::vector<float> values(static_cast<std::size_t>(table_.padded_count()), value);
    const std::vector<float> averages(values.size(), average);
    put_checkpoint(path("model.ckpt-" + std::to_string(step) + ".h5"), header, {.table = &table_, .average = true},
                   {.parameters = values, .average = averages});
  }

  std::string path(const std::string& name) const { return folder_ / name; }
  std::string folder() const { return folder_.path(); }
  std::string output() const { return path("averaged.h5"); }

  // Returns the program's output; the result is in the file output().
  std::string average(std::vector<std::string> args) const {
    args.push_back("--output_path=" + output());
    args.emplace_back("--overwrite");
    std::string printed;
    const ExitCode code = average_checkpoints_command(args, [&](std::string_view text) { printed += text; });
    CHECK(code == ExitCode::done);
    return printed;
  }
  // Returns the value of the result's parameters.
  float value() const {
    const StateArrays arrays = CheckpointDecoder(output()).read({.table = &table_});
    return arrays.parameters.front();
  }

 private:
  TemporaryFolder folder_;
  ParameterTable table_ = small_table();
};

}  // namespace

TEST_CASE("average-checkpoints: the last of a folder, by their steps") {
  const Run run;
  CHECK(run.average({"--prefix=" + run.folder(), "--num_last_checkpoints=2"}) ==
        run.output() + ": the mean of 2 checkpoints\n  " + run.path("model.ckpt-10.h5") + "\n  " +
            run.path("model.ckpt-100.h5") + "\n");
  CHECK(run.value() == 4);
  for (const char* const end : {"", "/", "/model.ckpt"}) {
    run.average({"--prefix=" + run.folder() + end, "--num-last-checkpoints", "3"});
    CHECK(run.value() == 3);
  }
  run.average({"--prefix=" + run.folder(), "--num_last_checkpoints=2", "--weights=ema"});
  CHECK(run.value() == 40);
}

TEST_CASE("average-checkpoints: fewer than asked for are averaged, which is said") {
  const Run run;
  const std::string said = run.average({"--prefix=" + run.folder(), "--num_last_checkpoints=20"});
  CHECK(said.find("the mean of 3 checkpoints; the folder holds no 20\n") != std::string::npos);
  CHECK(run.value() == 3);
}

TEST_CASE("average-checkpoints: a list, with a prefix before each name, as tensor2tensor takes it") {
  const Run run;
  run.average({"--checkpoints=" + run.path("model.ckpt-9.h5") + "," + run.path("model.ckpt-10.h5")});
  CHECK(run.value() == 1.5F);
  for (const auto& [prefix, list] :
       std::vector<std::pair<std::string, std::string>>{{"/", "model.ckpt-10.h5,model.ckpt-100.h5"},
                                                        {"", " model.ckpt-10 , model.ckpt-100.h5, "},
                                                        {"/model.ckpt-", "10,100"}}) {
    run.average({"--prefix=" + run.folder() + prefix, "--checkpoints=" + list});
    CHECK(run.value() == 4);
  }
}

TEST_CASE("average-checkpoints: what exists is kept unless --overwrite says otherwise") {
  const Run run;
  put_file(run.output(), "mine");
  const std::vector<std::string> args = {"--prefix=" + run.folder(), "--num_last_checkpoints=2",
                                         "--output_path=" + run.output()};
  check_error(ExitCode::configuration, {run.output(), "exists", "--overwrite"},
              [&] { average_checkpoints_command(args, [](std::string_view) {}); });
  CHECK(read_file(run.output()) == "mine");
}

TEST_CASE("average-checkpoints: refusals") {
  const Run run;
  const auto refused = [&](ExitCode code, std::initializer_list<std::string> parts, std::vector<std::string> args) {
    check_error(code, parts, [&] { run.average(std::move(args)); });
  };
  const std::string prefix = "--prefix=" + run.folder();
  refused(ExitCode::usage, {"either --checkpoints=LIST or --num_last_checkpoints=N"}, {prefix});
  refused(ExitCode::usage, {"one of the two"}, {prefix, "--checkpoints=a", "--num_last_checkpoints=1"});
  refused(ExitCode::usage, {"--prefix=RUN"}, {"--num_last_checkpoints=1"});
  refused(ExitCode::usage, {"--num_last_checkpoints=0"}, {prefix, "--num_last_checkpoints=0"});
  refused(ExitCode::usage, {"--checkpoints= , : it names no file"}, {prefix, "--checkpoints= , "});
  refused(ExitCode::usage, {"--weights=best"}, {prefix, "--checkpoints=9", "--weights=best"});
  refused(ExitCode::missing_input, {"there is no checkpoint", "model.ckpt-11"},
          {prefix, "--checkpoints=model.ckpt-11"});
  refused(ExitCode::missing_input, {"there is no checkpoint"}, {"--prefix=/nowhere/RUN", "--num_last_checkpoints=1"});
  const std::vector<std::string> nowhere = {prefix, "--num_last_checkpoints=1"};
  check_error(ExitCode::usage, {"needs --output_path=FILE"},
              [&] { average_checkpoints_command(nowhere, [](std::string_view) {}); });
  put_file(run.path("model.ckpt-11.h5"), "cut off");
  refused(ExitCode::bad_data, {"model.ckpt-11.h5"}, {prefix, "--num_last_checkpoints=2"});
}

}  // namespace lockstep
