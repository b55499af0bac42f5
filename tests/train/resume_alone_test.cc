// Resuming in worlds of one and of threads: tests that need no run under mpirun.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "base/input_file.h"
#include "base/json.h"
#include "checkpoint/shape_json.h"
#include "data/forwarding_problem.h"
#include "data/problems.h"
#include "data/sequences/tokenizer.h"
#include "resumed_runs.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"
#include "train/resume.h"

namespace lockstep {
namespace {

// The same images in another shape with as many elements.
class Reshaped final : public ForwardingProblem {
 public:
  using Change = Shape (*)(const Shape& height_width_channels);
  Reshaped(std::unique_ptr<Problem> images, Change change) : ForwardingProblem(std::move(images)), change_(change) {}
  ProblemShape shape() const override {
    ProblemShape shape = inner().shape();
    shape.input = change_(shape.input);
    return shape;
  }

 private:
  Change change_;
};

Shape as_columns(const Shape& image) { return {image[0] * image[1], image[2]}; }
Shape channels_first(const Shape& image) { return {image[2], image[0], image[1]}; }

}  // namespace

TEST_CASE("--exact keeps its bits when every piece has another number of ranks") {
  TrainSettings settings = rich_settings();
  settings.exact = true;
  const TestRun whole = train_alone(settings);
  const TemporaryFolder folder;
  std::int64_t made = 0;
  TestRun last;
  for (const int ranks : {3, 1, 5, 2, 4}) {
    made += 4;
    for_thread_ranks(ranks, [&](RankContext& rank) {
      const TestRun run = train_to(rank, settings, folder.path(), made);
      if (rank.communicator.rank() == 0) last = run;
    });
  }
  check_same(last, whole);
}

TEST_CASE("model averaging resumes from the replicas' mean on another number of ranks") {
  TrainSettings settings = rich_settings();
  settings.strategy = "model_averaging";
  settings.sync_every = 3;
  const TemporaryFolder folder;
  for_thread_ranks(3, [&](RankContext& rank) { train_to(rank, settings, folder.path(), 6); });
  for_thread_ranks(2, [&](RankContext& rank) {
    const TestRun run = train_to(rank, settings, folder.path(), 12);
    CHECK(run.outcome.step == 12);
    if (rank.communicator.rank() == 0) CHECK(run.losses.size() == 12);
  });
}

TEST_CASE("the best evaluation is that of all starts of a run") {
  const TemporaryFolder folder;
  TrainSettings settings = small_settings();
  settings.output_dir = folder.path();
  settings.train_steps = 10;
  train_alone(settings);
  // No evaluation is better than one that gets all labels right.
  const std::string path = folder / "metrics.jsonl";
  const std::string written = read_file(path);
  const std::size_t line = written.find("{\"kind\": \"eval\", \"step\": 10, ");
  REQUIRE(line != std::string::npos);
  const std::size_t value = written.find("\"accuracy\": ", line) + 12;
  std::ofstream(path) << written.substr(0, value) << "1" << written.substr(written.find(',', value));
  settings.train_steps = 20;
  for (int start = 0; start < 2; ++start) {  // the first trains on, the second finds nothing left to do
    train_alone(settings);
    const std::string text = read_file(path);
    const std::string end = text.substr(text.find("{\"kind\": \"end\""));
    const std::size_t best = end.find("\"best_evaluation\": {\"step\": 10, ");
    REQUIRE(best != std::string::npos);
    CHECK(end.find("\"accuracy\": 1,", best) < end.find("\"evaluation\": {\"step\": 20, "));
    CHECK(end.find("\"evaluation\": {\"step\": 20, ") != std::string::npos);
  }
}

TEST_CASE("only the newest checkpoints are kept") {
  const TemporaryFolder folder;
  TrainSettings settings = rich_settings();
  settings.save_steps = 3;
  settings.keep_checkpoints = 2;
  settings.output_dir = folder.path();
  train_alone(settings);
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const std::string file = entry.path().filename();
    files.insert(file.substr(0, file.find(".tfevents.")));
  }
  CHECK(files == std::set<std::string>{"checkpoint.json", "config.json", "events.out", "log", "metrics.jsonl",
                                       "model.ckpt-18.h5", "model.ckpt-20.h5"});
}

TEST_CASE("a damaged newest checkpoint is refused by name, and the one before it taken when asked for") {
  const TemporaryFolder folder;
  TrainSettings settings = rich_settings();
  const TestRun whole = train_alone(settings);
  settings.output_dir = folder.path();
  settings.train_steps = 15;
  train_alone(settings);
  {
    std::fstream stream(folder / "model.ckpt-15.h5", std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(1000);
    stream.put('\x55');
  }
  settings.train_steps = 20;
  check_error(ExitCode::bad_data,
              {"model.ckpt-15.h5", "The newest whole one before it is model.ckpt-12.h5", "--resume=previous"},
              [&] { train_alone(settings); });
  settings.resume = "previous";
  check_same(train_alone(settings), whole);
  settings.resume = "newest";
  check_same(train_alone(settings), whole);  // the damaged one was set aside
}

TEST_CASE("a newest checkpoint that is gone is refused by name, with cures that cure") {
  const TemporaryFolder folder;
  TrainSettings settings = rich_settings();
  const TestRun whole = train_alone(settings);
  settings.output_dir = folder.path();
  settings.train_steps = 15;
  train_alone(settings);
  std::filesystem::rename(folder / "model.ckpt-15.h5", folder / "elsewhere");
  const TemporaryFolder copy;
  std::filesystem::copy(folder.path(), copy.path(), std::filesystem::copy_options::recursive);
  settings.train_steps = 20;
  const std::string put_back = "checkpoint.json names it: put it back. ";
  check_error(ExitCode::missing_input,
              {"model.ckpt-15.h5", put_back + "The newest whole one before it is model.ckpt-12.h5"},
              [&] { train_alone(settings); });
  settings.resume = "previous";
  check_same(train_alone(settings), whole);

  // No checkpoint is left.
  for (const auto& entry : std::filesystem::directory_iterator(copy.path())) {
    if (entry.path().filename().string().starts_with("model.ckpt-")) std::filesystem::remove(entry.path());
  }
  settings.output_dir = copy.path();
  const std::string anew =
      "To start from the beginning, give another --output_dir, or move the checkpoints and "
      "checkpoint.json away";
  check_error(ExitCode::bad_data, {"can be used", anew}, [&] { train_alone(settings); });
  settings.resume = "newest";
  check_error(ExitCode::missing_input, {put_back + "There is no older whole one here. " + anew},
              [&] { train_alone(settings); });
  std::filesystem::remove(copy / "checkpoint.json");
  check_same(train_alone(settings), whole);
}

TEST_CASE("a damaged file that checkpoint.json never pointed at is left out") {
  const TemporaryFolder folder;
  TrainSettings settings = rich_settings();
  const TestRun whole = train_alone(settings);
  settings.output_dir = folder.path();
  settings.train_steps = 12;
  train_alone(settings);
  std::ofstream(folder / "model.ckpt-13.h5") << "half of a check";
  settings.train_steps = 20;
  check_same(train_alone(settings), whole);
}

TEST_CASE("a metrics.jsonl that cannot be gone on with makes room, and the run resumes") {
  const auto resumed_with = [](const std::function<void(const std::string&)>& replace) {
    const TemporaryFolder folder;
    TrainSettings settings = rich_settings();
    settings.output_dir = folder.path();
    settings.train_steps = 3;
    train_alone(settings);
    const std::string path = folder / "metrics.jsonl";
    std::filesystem::remove(path);
    replace(path);
    settings.train_steps = 5;
    const TestRun run = train_alone(settings);
    CHECK(run.outcome.step == 5);
    CHECK(run.losses.size() == 2);
    CHECK(std::filesystem::is_regular_file(path));
    return std::filesystem::exists(std::filesystem::symlink_status(path + ".set_aside"));
  };
  CHECK(resumed_with([](const std::string& path) { REQUIRE(::mkfifo(path.c_str(), 0600) == 0); }));
  CHECK(resumed_with([](const std::string& path) { std::filesystem::create_symlink("/dev/zero", path); }));
  CHECK(resumed_with([](const std::string& path) { std::filesystem::create_symlink("/no/such/file", path); }));
  CHECK(resumed_with([](const std::string& path) { std::filesystem::create_directory(path); }));
  CHECK(resumed_with([](const std::string& path) { std::ofstream(path) << std::string(1000, '\0'); }));
  CHECK(resumed_with([](const std::string& path) {  // a sparse file
    std::ofstream(path).close();
    std::filesystem::resize_file(path, (std::uintmax_t{1} << 30) + 1);
  }));
  CHECK(!resumed_with([](const std::string&) {}));
  CHECK(!resumed_with([](const std::string& path) { std::ofstream(path) << R"({"kind": "train", "st)"; }));
}

TEST_CASE("the place in the data that a checkpoint says follows from its batches, however often they have changed") {
  const TemporaryFolder folder;
  TrainSettings settings = rich_settings();
  settings.output_dir = folder.path();
  settings.allow_changes = {"global_batch_size"};
  const auto batches_after = [&](std::int64_t step, std::int64_t batch) {
    settings.train_steps = step;
    settings.global_batch_size = batch;
    CHECK(train_alone(settings).outcome.step == step);
    const std::string file = folder / ("model.ckpt-" + std::to_string(step) + ".h5");
    return saved_config(CheckpointDecoder(file).header().config).batches;
  };
  CHECK(batches_after(3, 40) == SavedBatches{.global_batch = 40});
  CHECK(batches_after(6, 40) == SavedBatches{.global_batch = 40});
  const SavedBatches changed{.global_batch = 7000, .since = {.step = 6, .epoch = 0, .consumed = 240}};
  CHECK(batches_after(8, 7000) == changed);
  CHECK(batches_after(10, 7000) == changed);  // into the second epoch of 20000 samples
  const SavedBatches again{.global_batch = 40, .since = {.step = 10, .epoch = 1, .consumed = 7000}};
  CHECK(batches_after(11, 40) == again);
}

TEST_CASE("normalisation of images that have their channels first is refused with the cure") {
  Registry registry = builtin_registry();
  registry.problems.add("first", "channels first", [](const ProblemOptions& options) {
    return std::make_unique<Reshaped>(make_image_shapes(options), channels_first);
  });
  TrainSettings settings = rich_settings();
  settings.problem = "first";
  settings.train_steps = 1;
  CHECK(train_alone(settings, registry).outcome.step == 1);  // mlp takes any shape
  settings.hparams += ",normalize_inputs=True";
  check_error(ExitCode::configuration, {"normalize_inputs", "(1, 28, 28)", "transpose(0, 2, 3, 1)"},
              [&] { train_alone(settings, registry); });
}

TEST_CASE("normalisation of symbols is refused after a model that cannot read them, and a text unit that is none") {
  TrainSettings settings = rich_settings();
  settings.problem = "tiny_algo";
  settings.hparams += ",normalize_inputs=True";
  check_error(ExitCode::configuration, {"model mlp computes with images", "choose --model=transformer"},
              [&] { train_alone(settings); });
  settings.model = "transformer";
  settings.hparams_set = "transformer_test";
  settings.hparams = "normalize_inputs=True";
  check_error(ExitCode::configuration, {"normalize_inputs", "symbols", "leave it out"}, [&] { train_alone(settings); });
  settings.hparams += ",text_unit=letter";
  const std::string units = fmt::format("{}", fmt::join(builtin_registry().tokenizers.names(), ", "));
  check_error(ExitCode::usage, {"text_unit=letter", units}, [&] { train_alone(settings); });
}

TEST_CASE("flags that change the result are refused, each with both values, unless allowed") {
  const TemporaryFolder folder;
  TrainSettings settings = rich_settings();
  settings.output_dir = folder.path();
  settings.train_steps = 3;
  train_alone(settings);
  settings.train_steps = 5;
  settings.seed = 2;
  settings.hparams = rich_settings("hidden_size=24,optimizer=adam,dropout=0.2").hparams;
  check_error(ExitCode::configuration, {"random_seed", "dropout", "0.1", "0.2", "--allow_changes="},
              [&] { train_alone(settings); });
  settings.allow_changes = {"random_seed", "dropout"};
  CHECK(train_alone(settings).outcome.step == 5);
}

TEST_CASE("another optimizer, if that is allowed, begins with a state of its own; another model is refused") {
  const TemporaryFolder folder;
  TrainSettings settings = rich_settings();
  settings.output_dir = folder.path();
  settings.train_steps = 3;
  train_alone(settings);
  settings.train_steps = 5;
  settings.hparams = rich_settings("hidden_size=24,optimizer=momentum,dropout=0.1").hparams;
  settings.allow_changes = {"optimizer"};
  CHECK(train_alone(settings).outcome.step == 5);
  settings.train_steps = 6;
  settings.hparams = rich_settings("hidden_size=25,optimizer=momentum,dropout=0.1").hparams;
  settings.allow_changes = {};
  check_error(ExitCode::configuration, {"hidden_size: '24' there, '25' here", "Its weights are of another model"},
              [&] { train_alone(settings); });
  settings.allow_changes = {"hidden_size"};
  check_error(ExitCode::configuration, {"model.ckpt-5.h5"}, [&] { train_alone(settings); });
}

TEST_CASE("a checkpoint says what its problem looked like, and a problem of another shape is refused with both") {
  const TemporaryFolder folder;
  TrainSettings settings = rich_settings("hidden_size=24,optimizer=adam,normalize_inputs=True");
  settings.output_dir = folder.path();
  settings.train_steps = 3;
  train_alone(settings);
  const std::string said = CheckpointDecoder(folder / "model.ckpt-3.h5").header().shape;
  CHECK(said == R"({"input":[28,28,1],"type":"float32","target":"class_label","outputs":10,"normalised":true})");

  // The same variables, so no other check would find it.
  Registry registry = builtin_registry();
  registry.problems.add("columns", "the same images, each as one column", [](const ProblemOptions& options) {
    return std::make_unique<Reshaped>(make_image_shapes(options), as_columns);
  });
  settings.train_steps = 5;
  settings.problem = "columns";
  settings.allow_changes = {"problem"};
  check_error(ExitCode::configuration,
              {"model.ckpt-3.h5' was made on problem image_shapes", said, "--problem=columns", R"("input":[784,1])",
               "--output_dir"},
              [&] { train_alone(settings, registry); });

  Resumption before;  // written before shapes were saved
  CHECK_NOTHROW(check_shape(before, {}, {.input = {784}, .outputs = 10}, nullptr, registry.tokenizers));
}

TEST_CASE("a training text that changed is refused, and one symbol said that did") {
  const auto of_text = [](const char* text) { return character_tokenizer().make(text, {}); };
  const auto shape_of = [](const TokenizerPointer& tokenizer) {
    return ProblemShape{.sample = ProblemShape::Sample::sequence,
                        .input = {},
                        .outputs = tokenizer->size(),
                        .input_type = DType::int32,
                        .vocabulary = tokenizer->size(),
                        .characters = true,
                        .vocabulary_digest = vocabulary_digest(tokenizer->to_json().text())};
  };
  Resumption from;
  from.file = "model.ckpt-3.h5";
  from.header.shape = shape_to_json(shape_of(of_text("abc")));
  from.header.vocabulary = of_text("abc")->to_json().text();
  from.header.hparams = "{}";
  TrainSettings settings;
  settings.data_dir = "novels";
  const Registry registry = builtin_registry();
  const auto check = [&](const char* text) {
    const TokenizerPointer tokenizer = of_text(text);
    check_shape(from, settings, shape_of(tokenizer), tokenizer.get(), registry.tokenizers);
  };
  CHECK_NOTHROW(check("cab"));
  check_error(ExitCode::configuration,
              {"'model.ckpt-3.h5'", "--data_dir=novels", "number 4 is 'c' there and 'd' here", "--output_dir"},
              [&] { check("abd"); });
  check_error(ExitCode::configuration, {"6 symbols there and 7 here"}, [&] { check("abcd"); });
  from.header.vocabulary = R"({"unit":"rune"})";
  check_error(ExitCode::bad_data, {"'model.ckpt-3.h5'", "vocabulary", "unit", "--usr_lib"}, [&] { check("abd"); });
  from.header.hparams = R"({"text_unit":"rune"})";
  check_error(ExitCode::configuration, {"'model.ckpt-3.h5'", "tokenizer 'rune'", "--usr_lib of its run"},
              [&] { check("abd"); });
  from.header.hparams = R"({"text_unit":"character"})";
  from.header.vocabulary = "";  // taken out of the file
  CHECK_NOTHROW(check("cab"));
  check_error(ExitCode::configuration, {"its SHA-256 is", "--output_dir"}, [&] { check("abd"); });
  ProblemShape old = shape_of(of_text("abc"));
  from.header.vocabulary = R"({"of":"novels","characters":"abc","unit":"character"})";  // the same in another form
  old.vocabulary_digest = vocabulary_digest(from.header.vocabulary);
  from.header.shape = shape_to_json(old);
  CHECK_NOTHROW(check("cab"));
  check_error(ExitCode::configuration, {"number 4 is 'c' there and 'd' here"}, [&] { check("abd"); });
  old.outputs = 5;
  from.header.shape = shape_to_json(old);
  check_error(ExitCode::configuration, {"for inputs and targets of", R"("outputs":5)"}, [&] { check("abc"); });
}

}  // namespace lockstep
