// Problems read for an existing model: one split, of the model's shape, with or without targets.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "data/model_fit.h"
#include "data/problems.h"
#include "data/sample_values.h"
#include "hdf5_files.h"
#include "npy_files.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;
using Target = ProblemShape::Target;

const ProblemShape kThreeClasses{.input = {2}, .target = Target::class_label, .outputs = 3};
const ProblemShape kTwoNumbers{.input = {2}, .target = Target::real, .outputs = 2};
const ProblemShape kSmallImages{.input = {3, 2, 1}, .target = Target::class_label, .outputs = 10};

ProblemOptions asked(const TemporaryFolder& folder, Split only, const ProblemShape& known) {
  return {.data_dir = folder.path(), .only = only, .known = known};
}
ProblemOptions without_targets(ProblemOptions options) {
  options.needs_targets = false;
  return options;
}

Bytes inputs() { return npy<float>({3, 2}, {0, 1, 2, 3, 4, 5}); }

void refused(const ProblemOptions& options, ExitCode code, std::initializer_list<std::string> parts) {
  check_error(code, parts, [&] { make_arrays(options); });
}

void write_idx_test_files(const TemporaryFolder& folder, bool with_labels) {
  write_file(folder / "t10k-images-idx3-ubyte", idx_bytes({2, 3, 2}, Bytes(12, 255)));
  if (with_labels) write_file(folder / "t10k-labels-idx1-ubyte", idx_bytes({2}, {1, 7}));
}

}  // namespace

TEST_CASE("arrays: of one split nothing else has to be there, or to be sound") {
  const TemporaryFolder folder;
  write_file(folder / "test_inputs.npy", inputs());
  write_file(folder / "test_targets.npy", npy<std::int64_t>({3}, {2, 0, 1}));
  write_file(folder / "train.h5", {1, 2, 3});
  write_file(folder / "dev_inputs.npy", {});
  const auto problem = make_arrays(asked(folder, Split::test, kThreeClasses));
  CHECK(problem->shape() == kThreeClasses);
  CHECK(problem->count(Split::train) == 0);
  CHECK(problem->count(Split::dev) == 0);
  CHECK(problem->count(Split::test) == 3);
  CHECK(read_sample(*problem, Split::test, 1).input == Floats{2, 3});
  CHECK(read_sample(*problem, Split::test, 0).label == 2);
  CHECK(problem->remarks().empty());
}

TEST_CASE("arrays: a model is known by its shape, not by the training split's") {
  const TemporaryFolder folder;
  {
    Hdf5Writer test(folder / "test.h5");
    test.array("inputs", {2, 2}, Floats{8, 9, 10, 11});
    test.array("targets", {2}, Ints{0, 1});
    test.attribute("targets", "num_classes", 2);
  }
  // The data have fewer classes than the model, in labels and in the attribute; other splits are not read.
  const auto problem = make_arrays({.data_dir = folder.path(), .known = kThreeClasses});
  CHECK(problem->shape().outputs == 3);
  CHECK(problem->count(Split::test) == 2);
  CHECK(problem->count(Split::train) == 0);
}

TEST_CASE("arrays: the training split can be the one that is read, without a model too") {
  const TemporaryFolder folder;
  write_file(folder / "train_inputs.npy", inputs());
  write_file(folder / "train_targets.npy", npy<std::int32_t>({3}, {0, 1, 1}));
  write_file(folder / "test.h5", {1, 2, 3});
  CHECK(make_arrays(asked(folder, Split::train, kThreeClasses))->count(Split::train) == 3);
  CHECK(make_arrays({.data_dir = folder.path(), .only = Split::train})->shape().outputs == 2);
}

TEST_CASE("arrays: a split that is not there, and those that are") {
  const TemporaryFolder folder;
  refused(asked(folder, Split::dev, kThreeClasses), ExitCode::missing_input,
          {folder.path(), "neither dev.h5 (data sets inputs and targets)", "dev_inputs.npy and dev_targets.npy",
           "put one of them there"});
  write_file(folder / "train_inputs.npy", inputs());
  refused(asked(folder, Split::dev, kThreeClasses), ExitCode::missing_input, {"there is train: --eval_split=train"});
  write_file(folder / "test.h5", {1});
  refused(without_targets(asked(folder, Split::dev, kThreeClasses)), ExitCode::missing_input,
          {"neither dev.h5 (data set inputs) nor dev_inputs.npy;", "there are train and test: --eval_split=train"});
  check_error(ExitCode::usage, {"--data_dir=FOLDER", "dev.h5"},
              [] { make_arrays({.only = Split::dev, .known = kThreeClasses}); });
}

TEST_CASE("arrays: a dev split that is not read, as the model's is held out, is none to ask for") {
  const TemporaryFolder folder;
  write_file(folder / "dev.h5", {1});
  ProblemOptions options = asked(folder, Split::train, kThreeClasses);
  refused(options, ExitCode::missing_input, {"neither train.h5", "there is dev: --eval_split=dev"});
  options.dev_is_held_out = true;
  refused(options, ExitCode::missing_input, {"neither train.h5", "put one of them there; what is there: 'dev.h5'"});
  write_file(folder / "test.h5", {1});
  refused(options, ExitCode::missing_input, {"neither train.h5", "there is test: --eval_split=test"});
}

TEST_CASE("arrays: data that the model was not made for") {
  const TemporaryFolder folder;
  const ProblemOptions of_classes = asked(folder, Split::test, kThreeClasses);
  write_file(folder / "test_inputs.npy", npy<float>({3, 4}, Floats(12)));
  write_file(folder / "test_targets.npy", npy<std::int32_t>({3}, {0, 3, 1}));
  refused(of_classes, ExitCode::bad_data, {"test_inputs.npy", "have the shape (4)", "model was made for (2)"});
  write_file(folder / "test_inputs.npy", inputs());
  refused(of_classes, ExitCode::bad_data,
          {"test_targets.npy", "sample 1 ", "label 3", "3 classes 0 to 2", "the model"});
  write_file(folder / "test_targets.npy", npy<float>({3, 2}, Floats(6)));
  refused(of_classes, ExitCode::bad_data, {"test_targets.npy", "2 numbers to predict", "made for class labels"});
  CHECK(make_arrays(asked(folder, Split::test, kTwoNumbers))->shape() == kTwoNumbers);
  write_file(folder / "test_targets.npy", npy<float>({3}, Floats(3)));
  refused(asked(folder, Split::test, kTwoNumbers), ExitCode::bad_data,
          {"test_targets.npy", "targets are 1 number to predict", "made for 2 numbers"});
  ProblemShape symbols = kThreeClasses;
  symbols.input_type = DType::int32;
  refused(asked(folder, Split::test, symbols), ExitCode::bad_data, {"test_inputs.npy", "float32", "symbols (int32)"});
}

TEST_CASE("arrays: without targets, and with targets that nobody needs") {
  const TemporaryFolder folder;
  const ProblemOptions options = without_targets(asked(folder, Split::test, kThreeClasses));
  Hdf5Writer(folder / "test.h5").array("inputs", {1, 2}, Floats{8, 9});
  CHECK(read_sample(*make_arrays(options), Split::test, 0).input == Floats{8, 9});
  CHECK(read_sample(*make_arrays(options), Split::test, 0).label == 0);
  std::filesystem::remove(folder / "test.h5");
  write_file(folder / "test_inputs.npy", inputs());
  CHECK(make_arrays(options)->count(Split::test) == 3);
  refused(asked(folder, Split::test, kThreeClasses), ExitCode::missing_input, {"test_targets.npy", "takes both"});
  write_file(folder / "test_targets.npy", {1, 2, 3});  // not a valid array
  CHECK(make_arrays(options)->count(Split::test) == 3);

  const auto numbers = make_arrays(without_targets(asked(folder, Split::test, kTwoNumbers)));
  SampleValues sample{.target = {7, 7}};
  sample.read(*numbers, numbers->shape(), Split::test, 2);
  CHECK(sample.input == Floats{4, 5});
  CHECK(sample.target == Floats{0, 0});
}

TEST_CASE("arrays: a large split of a known model is read through, also the one that it was trained on") {
  const TemporaryFolder folder;
  constexpr std::int64_t kRows = 300;
  constexpr std::int64_t kRowBytes = 1 << 20;
  const Bytes header = npy_bytes(npy_header("|u1", {kRows, kRowBytes}), {});
  {
    std::ofstream file(folder / "train_inputs.npy", std::ios::binary);
    file.write(reinterpret_cast<const char*>(header.data()), std::ssize(header));
  }
  std::filesystem::resize_file(folder / "train_inputs.npy", header.size() + std::size_t{kRows} * kRowBytes);
  const ProblemShape wide{.input = {kRowBytes}, .target = Target::class_label, .outputs = 3};
  const auto problem = make_arrays(without_targets(asked(folder, Split::train, wide)));
  const auto read = [&](std::int64_t number) { read_sample(*problem, Split::train, number); };
  for (std::int64_t number = 0; number < 20; ++number) read(number);
  std::filesystem::resize_file(folder / "train_inputs.npy", 1000);
  read(19);  // still in memory
  check_error(ExitCode::bad_data, {"changed its size"}, [&] { read(0); });
}

TEST_CASE("idx: one split, with or without labels") {
  const TemporaryFolder folder;
  write_idx_test_files(folder, false);
  const ProblemOptions options = asked(folder, Split::test, kSmallImages);
  check_error(ExitCode::missing_input, {"lacks t10k-labels-idx1-ubyte"}, [&] { make_image_mnist(options); });
  const auto unlabeled = make_image_mnist(without_targets(options));
  SampleValues sample{.label = -1};
  sample.read(*unlabeled, unlabeled->shape(), Split::test, 1);
  CHECK(sample.input == Floats(6, 1.0F));
  CHECK(sample.label == 0);

  write_idx_test_files(folder, true);
  write_file(folder / "train-images-idx3-ubyte", {1, 2, 3});
  const auto problem = make_image_mnist(options);
  CHECK(problem->shape() == kSmallImages);
  CHECK(problem->count(Split::train) == 0);
  CHECK(problem->count(Split::test) == 2);
}

TEST_CASE("idx: splits that are not there, and images and classes of another model") {
  const TemporaryFolder folder;
  write_idx_test_files(folder, true);
  check_error(ExitCode::missing_input, {"no dev split", "there are train and test"},
              [&] { make_image_mnist(asked(folder, Split::dev, kSmallImages)); });
  check_error(ExitCode::missing_input,
              {"lacks train-images-idx3-ubyte, train-labels-idx1-ubyte", "there is test: --eval_split=test"},
              [&] { make_image_mnist(asked(folder, Split::train, kSmallImages)); });
  check_error(ExitCode::bad_data, {"t10k-images-idx3-ubyte", "(3, 2, 1)", "made for (2)"},
              [&] { make_image_mnist(asked(folder, Split::test, kThreeClasses)); });
  ProblemShape few = kSmallImages;
  few.outputs = 7;
  check_error(ExitCode::bad_data, {"t10k-labels-idx1-ubyte", "8 classes", "made for 7"},
              [&] { make_image_mnist(asked(folder, Split::test, few)); });
  few.outputs = 8;
  CHECK(make_image_mnist(asked(folder, Split::test, few))->shape() == few);
}

TEST_CASE("what is generated fits the model or is refused") {
  const ProblemShape shapes = make_image_shapes({})->shape();
  CHECK(make_image_shapes({.only = Split::test, .known = shapes, .needs_targets = false})->count(Split::test) == 4000);
  check_error(ExitCode::bad_data, {"image_shapes", "(28, 28, 1)", "made for (3, 2, 1)"},
              [] { make_image_shapes({.known = kSmallImages}); });
  ProblemShape few = shapes;
  few.outputs = 9;
  check_error(ExitCode::bad_data, {"image_shapes", "10 classes", "made for 9"},
              [&] { make_image_shapes({.known = few}); });
}

TEST_CASE("more symbols than the model knows") {
  const ProblemShape model{.input = {5}, .outputs = 2, .input_type = DType::int32, .vocabulary = 100};
  ProblemShape data = model;
  data.vocabulary = 99;
  check_inputs_fit("mine", data, model);
  data.vocabulary = 101;
  check_error(ExitCode::bad_data, {"mine", "101 symbols", "made for 100"},
              [&] { check_inputs_fit("mine", data, model); });
}

}  // namespace lockstep
