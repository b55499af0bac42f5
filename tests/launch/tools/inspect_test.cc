#include "launch/tools/inspect.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/input_file.h"
#include "base/json.h"
#include "checkpoint/checkpoint_states.h"
#include "checkpoint/shape_json.h"
#include "data/sequences/tokenizer.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

// Returns the program's output.
std::string inspected(const std::vector<std::string>& args) {
  std::string printed;
  const ExitCode code = inspect(args, [&printed](std::string_view text) { printed += text; });
  CHECK(code == ExitCode::done);
  return printed;
}

}  // namespace

TEST_CASE("inspect: everything that a checkpoint says, under the names of its attributes") {
  const TemporaryFolder folder;
  const ParameterTable table = small_table();
  const StateLayout layout{.table = &table, .slots = {"m", "v"}, .average = true, .replicas = 2};
  put_checkpoint(folder / "model.ckpt-120.h5", some_header(), layout, some_arrays(layout));
  const Json json = parse_json(inspected({"--format=json", folder.path()}), JsonMode::tolerant);
  const auto is = [&](const char* key, const Json& value) {
    CAPTURE(key);
    REQUIRE(json.find(key) != nullptr);
    CHECK(*json.find(key) == value);
  };
  is("file", folder / "model.ckpt-120.h5");
  is("bytes", static_cast<std::int64_t>(read_file(folder / "model.ckpt-120.h5").size()));
  is("seal", "ok");
  is("lockstep_version", LOCKSTEP_VERSION);
  is("step", 120);
  is("epoch", 3);
  is("consumed", 77);
  is("missed_batches", 0);
  is("missed_samples", 0);
  is("model", "mlp");
  is("problem", "image_shapes");
  is("shape", parse_json(some_header().shape));
  is("vocabulary", Json());
  is("random_seed", BigInteger{"18446744073709551614"});
  is("parameters", 8);
  is("variables", parse_json(R"([{"name":"dense_0/bias","shape":[2]},{"name":"dense_0/kernel","shape":[3,2]}])"));
  is("optimizer_slots", Json::Array{"m", "v"});
  is("optimizer_begun", 5);
  is("replicas", 2);
  is("moving_average", true);
  is("ema_updates", 9);
  is("hparams", parse_json(some_header().hparams));
  is("config", Json::Object{});
}

TEST_CASE("inspect: the vocabulary of a text") {
  const TemporaryFolder folder;
  const ParameterTable table = small_table();
  CheckpointHeader header = some_header();
  header.vocabulary = R"({"unit":"word","words":["a"]})";
  header.shape = shape_to_json({.sample = ProblemShape::Sample::sequence,
                                .input = {},
                                .outputs = 4,
                                .input_type = DType::int32,
                                .vocabulary = 4,
                                .vocabulary_digest = vocabulary_digest(header.vocabulary)});
  put_checkpoint(folder / "text.h5", header, {.table = &table}, some_arrays({.table = &table}));
  const Json json = parse_json(inspected({"--format=json", folder / "text.h5"}), JsonMode::tolerant);
  REQUIRE(json.find("vocabulary") != nullptr);
  CHECK(*json.find("vocabulary") == parse_json(header.vocabulary));
}

TEST_CASE("inspect: batches that were not applied") {
  const TemporaryFolder folder;
  const ParameterTable table = small_table();
  CheckpointHeader header = some_header();
  put_checkpoint(folder / "none.h5", header, {.table = &table}, some_arrays({.table = &table}));
  CHECK(inspected({folder / "none.h5"}).find("missed") == std::string::npos);
  header.cursor.missed = {{5, 3, 1}, {2}};
  put_checkpoint(folder / "two.h5", header, {.table = &table}, some_arrays({.table = &table}));
  CHECK(inspected({folder / "two.h5"}).find("missed              2 batches of 4 samples, ") != std::string::npos);
  const Json json = parse_json(inspected({"--format=json", folder / "two.h5"}), JsonMode::tolerant);
  REQUIRE((json.find("missed_batches") != nullptr && json.find("missed_samples") != nullptr));
  CHECK(*json.find("missed_batches") == Json(2));
  CHECK(*json.find("missed_samples") == Json(4));
}

TEST_CASE("inspect: lines for people") {
  const TemporaryFolder folder;
  const ParameterTable table = odd_table();
  CheckpointHeader header = some_header();
  header.shape = "";
  header.model = "a\x1b[31m";
  put_checkpoint(folder / "averaged.h5", header, {.table = &table}, some_arrays({.table = &table}));
  const std::string text = inspected({folder / "averaged.h5"});
  for (const char* const part :
       {"averaged.h5\n", "the seal is right", "step                120; epoch 3 and 77 samples\n", "a\\x1b[31m\n",
        "inputs and targets  not said\n", "parameters          1100058 in 6 variables\n", "optimizer state     none\n",
        "moving average      none\n", "  conv/deep/er/kernel  (3, 1, 2, 1, 5)\n", "  inputs/scale         ()\n",
        "  learning_rate  0.1\n",
        "  name           Gr\xc3\xbc\xc3\x9f"
        "e\n"}) {
    CAPTURE(text);
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("inspect: 66 for what is not there, 65 for what is damaged, 64 for what is not asked right") {
  const TemporaryFolder folder;
  const ParameterTable table = small_table();
  const std::string file = folder / "model.ckpt-120.h5";
  check_error(ExitCode::missing_input, {"there is no checkpoint"}, [&] { inspected({folder.path()}); });
  put_checkpoint(file, some_header(), {.table = &table}, some_arrays({.table = &table}));
  std::string bytes = read_file(file);
  bytes[bytes.size() / 2] ^= 1;
  put_file(file, bytes);
  check_error(ExitCode::bad_data, {file, "damaged"}, [&] { inspected({file}); });
  check_error(ExitCode::bad_data, {file, "damaged"}, [&] { inspected({folder.path()}); });
  check_error(ExitCode::missing_input, {"nothing.h5"}, [&] { inspected({folder / "nothing.h5"}); });
  check_error(ExitCode::usage, {"needs a CKPT"}, [&] { inspected({"--format=json"}); });
  check_error(ExitCode::usage, {"'b' is one CKPT too many"}, [&] { inspected({"a", "b"}); });
  check_error(ExitCode::usage, {"--format=xml"}, [&] { inspected({"--format=xml", file}); });
}

}  // namespace lockstep
