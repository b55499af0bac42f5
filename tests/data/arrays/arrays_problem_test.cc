#include "data/arrays/arrays_problem.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "data/arrays/array_blocks.h"
#include "data/hdf5_files.h"
#include "data/npy_files.h"
#include "data/problems.h"
#include "data/sample_values.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;

std::unique_ptr<Problem> make(const TemporaryFolder& folder, std::optional<std::int64_t> num_classes = {}) {
  return make_arrays({.data_dir = folder.path(), .num_classes = num_classes});
}

void refused(const TemporaryFolder& folder, ExitCode code, std::initializer_list<std::string> parts) {
  check_error(code, parts, [&] { make(folder); });
}

// Writes a split as .npy files.
void write_npy(const TemporaryFolder& folder, const std::string& split, const Bytes& inputs, const Bytes& targets) {
  write_file(folder / (split + "_inputs.npy"), inputs);
  write_file(folder / (split + "_targets.npy"), targets);
}

Bytes three_inputs() { return npy<float>({3, 2}, {0, 1, 2, 3, 4, 5}); }
Bytes three_labels() { return npy<std::int32_t>({3}, {2, 0, 1}); }

// Inputs too large for memory by the rules of data/arrays/array_blocks.h, in a sparse file: zeros except for the first
// two values of each row, which encode its number.
constexpr std::int64_t kRows = 1000;
constexpr std::int64_t kRowBytes = 300 << 10;

void write_large_inputs(const std::string& path) {
  const Bytes header = npy_bytes(npy_header("|u1", {kRows, 300, 512, 2}), {});
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(header.data()), std::ssize(header));
  for (std::int64_t row = 0; row < kRows; ++row) {
    file.seekp(std::ssize(header) + row * kRowBytes);
    file.put(static_cast<char>(row % 256)).put(static_cast<char>(row / 256));
  }
  file.close();
  std::filesystem::resize_file(path, header.size() + static_cast<std::uintmax_t>(kRows * kRowBytes));
}

std::int64_t number_in(const SampleValues& sample) {
  return std::lround(sample.input[0] * 255) + 256 * std::lround(sample.input[1] * 255);
}

}  // namespace

TEST_CASE("images and labels in HDF5, with a test split and no dev split") {
  const TemporaryFolder folder;
  {
    Hdf5Writer train(folder / "train.h5");
    train.array("inputs", {3, 2, 2, 1}, Bytes{0, 51, 102, 153, 204, 255, 1, 2, 3, 4, 5, 6});
    train.array("targets", {3}, std::vector<std::int64_t>{4, 0, 2});
    Hdf5Writer test(folder / "test.h5");
    test.array("inputs", {2, 2, 2, 1}, Bytes(8, 255));
    test.array("targets", {2, 1}, Bytes{7, 1});
  }
  const auto problem = make(folder);
  CHECK(problem->shape().input == Shape{2, 2, 1});
  CHECK(problem->shape().target == ProblemShape::Target::class_label);
  CHECK(problem->shape().outputs == 8);  // from the largest label of all splits
  CHECK(problem->count(Split::train) == 3);
  CHECK(problem->count(Split::dev) == 0);
  CHECK(problem->count(Split::test) == 2);
  CHECK(problem->layout().block == 0);
  CHECK(read_sample(*problem, Split::train, 0).input == Floats{0.0F, 51 / 255.0F, 102 / 255.0F, 153 / 255.0F});
  CHECK(read_sample(*problem, Split::train, 2).label == 2);
  CHECK(read_sample(*problem, Split::test, 0).label == 7);
  CHECK(read_sample(*problem, Split::test, 1).input == Floats(4, 1.0F));
  check_error(ExitCode::internal, {"no such sample"}, [&] { read_sample(*problem, Split::train, 3); });
  check_error(ExitCode::internal, {"no such sample"}, [&] { read_sample(*problem, Split::dev, 0); });
}

TEST_CASE("numbers to predict, and inputs of one number, in .npy") {
  const TemporaryFolder folder;
  write_npy(folder, "train", npy<double>({3}, {0.5, 1, 2}), npy<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
  write_npy(folder, "dev", npy<float>({1}, {-1}), npy<double>({1, 2}, {7, 8}));
  const auto problem = make(folder);
  CHECK(problem->shape().input == Shape{1});
  CHECK(problem->shape().target == ProblemShape::Target::real);
  CHECK(problem->shape().outputs == 2);
  CHECK(read_sample(*problem, Split::train, 1).input == Floats{1});
  CHECK(read_sample(*problem, Split::train, 1).target == Floats{3, 4});
  CHECK(read_sample(*problem, Split::dev, 0).target == Floats{7, 8});
}

TEST_CASE("inputs that look like pixels as floats are remarked on, unless they are normalised") {
  const TemporaryFolder folder;
  write_npy(folder, "train", npy<float>({3, 2}, {0, 255, 2, 3, 4, 5}), three_labels());
  REQUIRE(make(folder)->remarks().size() == 1);
  CHECK(make(folder)->remarks()[0].find("floats from 0 to 255") != std::string::npos);
  CHECK(make_arrays({.data_dir = folder.path(), .normalized = true})->remarks().empty());
}

TEST_CASE("a column of floats is one number to predict, and every rank up to five works") {
  const TemporaryFolder folder;
  write_npy(folder, "train", npy<float>({2, 1, 2, 1, 2}, {0, 1, 2, 3, 4, 5, 6, 7}), npy<float>({2}, {1, 2}));
  const auto problem = make(folder);
  CHECK(problem->shape().input == Shape{1, 2, 1, 2});
  CHECK(problem->shape().outputs == 1);
  CHECK(read_sample(*problem, Split::train, 1).input == Floats{4, 5, 6, 7});
}

TEST_CASE("one split may be HDF5 and another .npy") {
  const TemporaryFolder folder;
  write_npy(folder, "test", three_inputs(), three_labels());
  {
    Hdf5Writer train(folder / "train.h5");
    train.array("inputs", {1, 2}, Floats{8, 9});
    train.array("targets", {1}, Ints{0});
  }
  const auto problem = make(folder);
  CHECK(problem->count(Split::train) == 1);
  CHECK(read_sample(*problem, Split::test, 2).input == Floats{4, 5});
}

TEST_CASE("num_classes: asked for, an attribute, or from the data") {
  const TemporaryFolder folder;
  write_npy(folder, "train", three_inputs(), three_labels());
  CHECK(make(folder)->shape().outputs == 3);
  CHECK(make(folder, 0)->shape().outputs == 3);
  CHECK(make(folder, 10)->shape().outputs == 10);
  check_error(ExitCode::bad_data, {"train_targets.npy", "sample 0 ", "label 2", "2 classes 0 to 1", "num_classes"},
              [&] { make(folder, 2); });
  write_npy(folder, "dev", three_inputs(), npy<std::int32_t>({3}, {3, 2, 1}));
  check_error(ExitCode::bad_data, {"dev_targets.npy", "sample 0 ", "label 3", "give a larger num_classes"},
              [&] { make(folder, 3); });
  write_npy(folder, "train", three_inputs(), npy<std::int32_t>({3}, {1, 1, 2}));
  check_error(ExitCode::bad_data, {"dev_targets.npy", "label 3", "the labels are 1 to 3: save targets - 1 in every"},
              [&] { make(folder, 3); });

  const TemporaryFolder other;
  {
    Hdf5Writer train(other / "train.h5");
    train.array("inputs", {2}, Floats{8, 9});
    train.array("targets", {2}, Ints{0, 3});
    train.attribute("targets", "num_classes", 5);
  }
  CHECK(make(other)->shape().outputs == 5);
  CHECK(make(other, 5)->shape().outputs == 5);
  check_error(ExitCode::configuration, {"num_classes=6", "train.h5", "num_classes 5"}, [&] { make(other, 6); });
}

TEST_CASE("num_classes and numbers to predict contradict each other") {
  const TemporaryFolder folder;
  write_npy(folder, "train", three_inputs(), npy<float>({3}, {2, 0, 1}));
  check_error(ExitCode::configuration, {"num_classes", "train_targets.npy", "floats"}, [&] { make(folder, 3); });
}

TEST_CASE("floats that look like class labels are refused, unless a loss of numbers was chosen") {
  const TemporaryFolder folder;
  const auto numbers = [&] { return make_arrays({.data_dir = folder.path(), .numbers_meant = true}); };
  write_npy(folder, "train", npy<float>({6, 1}, {0, 1, 2, 3, 4, 5}), npy<double>({6}, {2, 0, 1, 1, 0, 2}));
  refused(folder, ExitCode::bad_data, {"train_targets.npy", "all 6 targets", "0 to 2", "astype('int32')"});
  CHECK(numbers()->shape().target == ProblemShape::Target::real);
  write_npy(folder, "train", three_inputs(), npy<float>({3, 2}, {1, 0, 0, 1, 1, 0}));
  refused(folder, ExitCode::bad_data, {"train_targets.npy", "a single 1 among 1 zeros", "argmax(1)"});
  CHECK(numbers()->shape().outputs == 2);
  // A few samples of another split do not decide the kind of target.
  write_npy(folder, "train", three_inputs(), npy<float>({3, 2}, {1, 0, 0, 1, 0.5, 0.5}));
  write_npy(folder, "test", npy<float>({1, 2}, {0, 1}), npy<float>({1, 2}, {0, 1}));
  CHECK(make(folder)->shape().target == ProblemShape::Target::real);
}

TEST_CASE("odd labels are remarked on") {
  const TemporaryFolder folder;
  write_npy(folder, "train", three_inputs(), three_labels());
  CHECK(make(folder)->remarks().empty());
  write_npy(folder, "train", three_inputs(), npy<std::int32_t>({3}, {1, 3, 2}));
  REQUIRE(make(folder)->remarks().size() == 1);
  CHECK(make(folder)->remarks()[0].find("labels are 1 to 3, none of them 0") != std::string::npos);
  REQUIRE(make(folder, 4)->remarks().size() == 1);
  CHECK(make(folder, 4)->remarks()[0].find("save targets - 1 in every split, and give num_classes=3") !=
        std::string::npos);
  CHECK(make(folder, 5)->remarks().empty());
  write_npy(folder, "test", npy<float>({1, 2}, {0, 1}), npy<std::int32_t>({1}, {0}));
  REQUIRE(make(folder, 4)->remarks().size() == 1);
  CHECK(make(folder, 4)->remarks()[0].find("1 of the 1 test samples have a label that no training") !=
        std::string::npos);
}

TEST_CASE("a split behind a link that leads nowhere is missing, not left out") {
  const TemporaryFolder folder;
  write_npy(folder, "train", three_inputs(), three_labels());
  std::filesystem::create_symlink("/nothing/here", folder / "test.h5");
  refused(folder, ExitCode::missing_input, {folder / "test.h5", "a link to '/nothing/here'", "mounted"});
}

TEST_CASE("CSV files and folders of images: the message has the command that makes arrays of them") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "train/zebra");
  write_file(folder / "train/zebra/1.txt", {1});
  check_error(ExitCode::missing_input, {"have them the same for dev and test"},
              [&] { make_arrays({.data_dir = folder.path()}); });
  write_file(folder / "train/zebra/1.jpeg", {1});
  refused(folder, ExitCode::missing_input,
          {"folders of images; make arrays of them: python3 python/lockstep_arrays.py images '" +
           std::string(folder.path()) + "' --size=32x32 --output=DATA"});
  write_file(folder / "iris.csv", {1});
  refused(folder, ExitCode::missing_input,
          {"what is there: 'iris.csv'; make arrays of it: python3 python/lockstep_arrays.py csv '" +
           (folder / "iris.csv") + "' --target=COLUMN --output=DATA"});
}

TEST_CASE("no folder, no files, or half of them") {
  check_error(ExitCode::usage, {"--data_dir=FOLDER", "train.h5", "train_inputs.npy"}, [] { make_arrays({}); });
  const TemporaryFolder folder;
  check_error(ExitCode::missing_input, {"--data_dir=" + (folder / "nowhere"), "no such folder"},
              [&] { make_arrays({.data_dir = folder / "nowhere"}); });
  write_file(folder / "file", {1});
  check_error(ExitCode::missing_input, {"this is a file"}, [&] { make_arrays({.data_dir = folder / "file"}); });
  refused(folder, ExitCode::missing_input, {folder.path(), "train.h5", "train_inputs.npy", "train_targets.npy"});
  for (const char* name : {"train.npz", "x_train.npy", "notes.txt"}) write_file(folder / name, {1});
  refused(folder, ExitCode::missing_input,
          {"for dev and test; what is there: 'train.npz', 'x_train.npy'; save each array of it by its own: numpy.save(",
           "numpy.load('" + (folder / "train.npz") + "')['NAME'])"});
  write_file(folder / "train_inputs.npy", three_inputs());
  refused(folder, ExitCode::missing_input,
          {folder / "train_inputs.npy" + "' is there", "not '" + (folder / "train_targets.npy")});
  write_file(folder / "train_targets.npy", three_labels());
  write_file(folder / "dev_targets.npy", three_labels());
  refused(folder, ExitCode::missing_input, {"not '" + (folder / "dev_inputs.npy"), "the dev split"});
  write_file(folder / "dev.h5", {});
  refused(folder, ExitCode::configuration, {folder / "dev.h5", folder / "dev_targets.npy", "both there"});
}

TEST_CASE("an HDF5 file without the data sets") {
  const TemporaryFolder folder;
  Hdf5Writer(folder / "train.h5").array("inputs", {1}, Floats{1});
  refused(folder, ExitCode::bad_data, {folder / "train.h5", "no data set targets", "it has inputs"});
}

TEST_CASE("types that inputs and targets cannot have") {
  const TemporaryFolder folder;
  write_npy(folder, "train", npy<std::int32_t>({3}, {1, 2, 3}), three_labels());
  refused(folder, ExitCode::bad_data, {"train_inputs.npy", "inputs are int32", "uint8", "floats"});
  write_npy(folder, "train", three_inputs(), npy<std::int32_t>({3, 2}, {1, 0, 0, 1, 0, 1}));
  refused(folder, ExitCode::bad_data, {"train_targets.npy", "int32 of shape (3, 2)", "argmax"});
  write_npy(folder, "train", three_inputs(), npy<float>({3, 1, 1}, {1, 0, 0}));
  refused(folder, ExitCode::bad_data, {"train_targets.npy", "(3, 1, 1)", "(N, K)"});
}

TEST_CASE("arrays that do not belong together") {
  const TemporaryFolder folder;
  write_npy(folder, "train", three_inputs(), npy<std::int32_t>({2}, {1, 0}));
  refused(folder, ExitCode::bad_data, {"train_inputs.npy' has 3 samples", "train_targets.npy' has 2"});
  write_npy(folder, "train", three_inputs(), three_labels());
  write_npy(folder, "test", npy<float>({1, 3}, {1, 2, 3}), npy<std::int32_t>({1}, {1}));
  refused(folder, ExitCode::bad_data, {"inputs have the shape (3, 2)", "train_inputs", "(1, 3)", "test_inputs"});
  write_npy(folder, "test", npy<std::uint8_t>({1, 2}, {1, 2}), npy<std::int32_t>({1}, {1}));
  refused(folder, ExitCode::bad_data, {"inputs are float32", "uint8", "test_inputs.npy"});
  write_npy(folder, "test", npy<float>({1, 2}, {1, 2}), npy<float>({1}, {1}));
  refused(folder, ExitCode::bad_data, {"targets are int32", "float32", "test_targets.npy"});
}

TEST_CASE("labels that are none") {
  const TemporaryFolder folder;
  write_npy(folder, "train", three_inputs(), npy<std::int32_t>({3}, {2, -1, 1}));
  refused(folder, ExitCode::bad_data,
          {"train_targets.npy", "sample 1 ", "label -1", "numbered from 0", "return_inverse=True"});
  write_npy(folder, "train", three_inputs(), npy<std::uint64_t>({3}, {2, 1, std::uint64_t{1} << 63}));
  refused(folder, ExitCode::bad_data, {"train_targets.npy", "sample 2 ", "beyond 2^63"});
  write_npy(folder, "train", three_inputs(), npy<std::int64_t>({3}, {std::int64_t{1} << 40, 0, 1}));
  refused(folder, ExitCode::bad_data, {"sample 0 ", "label 1099511627776", "at most 2147483646"});
  write_npy(folder, "train", three_inputs(), npy<std::int64_t>({3}, {0, 1700000000, 1}));
  refused(folder, ExitCode::bad_data, {"sample 1 ", "label 1700000000", "1700000001 classes"});
}

TEST_CASE("NaN and infinity are named by their sample, in inputs and in targets") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const TemporaryFolder folder;
  write_npy(folder, "train", npy<float>({3, 2}, {0, 1, 2, 3, 4, nan}), three_labels());
  refused(folder, ExitCode::bad_data, {"train_inputs.npy", "sample 2 ", "value nan", "element 1"});
  write_npy(folder, "train", three_inputs(), npy<double>({3}, {0, -std::numeric_limits<double>::infinity(), 0}));
  refused(folder, ExitCode::bad_data, {"train_targets.npy", "sample 1 ", "value -inf"});
  write_npy(folder, "train", npy<double>({3}, {0, 1e300, 0}), three_labels());
  refused(folder, ExitCode::bad_data, {"train_inputs.npy", "sample 1 ", "as float32"});
}

TEST_CASE("damaged files are named") {
  const TemporaryFolder folder;
  const Bytes sound = three_inputs();
  write_npy(folder, "train", cut(sound, sound.size() - 1), three_labels());
  refused(folder, ExitCode::bad_data, {"train_inputs.npy", "cut off"});
  write_npy(folder, "train", npy_bytes(npy_header("|O", {3}), {1, 2, 3}), three_labels());
  refused(folder, ExitCode::bad_data, {"train_inputs.npy", "Python objects"});
  write_npy(folder, "train", npy<float>({0, 2}, {}), npy<std::int32_t>({0}, {}));
  refused(folder, ExitCode::bad_data, {"train_inputs.npy", "no samples"});
}

TEST_CASE("inputs larger than memory are read in blocks, in any order, by any threads, and read ahead") {
  const TemporaryFolder folder;
  write_large_inputs(folder / "train_inputs.npy");
  Ints labels;
  for (std::int64_t row = 0; row < kRows; ++row) labels.push_back(static_cast<std::int32_t>(row % 10));
  write_file(folder / "train_targets.npy", npy<std::int32_t>({kRows}, labels));
  const auto problem = make(folder);
  const BlockLayout layout = problem->layout();
  CHECK(layout.block == 4);  // the fewest rows of 300 KiB that make 1 MiB
  CHECK(layout.window_blocks == 54);
  CHECK(problem->count(Split::train) == kRows);
  for (const std::int64_t block : {3, 100, 249}) problem->expect_block(block);
  for (const std::int64_t row : {0, 999, 400, 401, 1, 998, 12, 15, 16, 500}) {
    CAPTURE(row);
    const SampleValues sample = read_sample(*problem, Split::train, row);
    CHECK(number_in(sample) == row);
    CHECK(sample.label == row % 10);
    CHECK(sample.input[2] == 0);
  }
  std::filesystem::resize_file(folder / "train_inputs.npy", 1000);
  CHECK(number_in(read_sample(*problem, Split::train, 999)) == 999);  // still in memory
  check_error(ExitCode::bad_data, {"train_inputs.npy", "changed its size"},
              [&] { read_sample(*problem, Split::train, 700); });
}

TEST_CASE("a training split that is read for a model that is there already says what blocks it was trained in") {
  const TemporaryFolder folder;
  write_large_inputs(folder / "train_inputs.npy");
  write_file(folder / "train_targets.npy", npy<std::int32_t>({kRows}, Ints(kRows, 2)));
  const auto trained = make(folder);
  const auto known = make_arrays({.data_dir = folder.path(), .only = Split::train, .known = trained->shape()});
  CHECK(known->layout().block == trained->layout().block);
  CHECK(known->layout().block > 0);
  known->expect_block(1);
  for (std::int64_t row = 0; row < kRows; row += 37) CHECK(number_in(read_sample(*known, Split::train, row)) == row);
}

TEST_CASE("a large test split is read through, not kept") {
  const TemporaryFolder folder;
  write_large_inputs(folder / "test_inputs.npy");
  write_file(folder / "test_targets.npy", npy<float>({kRows}, Floats(kRows, 1.0F)));
  write_npy(folder, "train", npy<std::uint8_t>({1, 300, 512, 2}, Bytes(kRowBytes)), npy<float>({1}, {1}));
  const auto problem = make(folder);
  CHECK(problem->layout().block == 0);
  for (std::int64_t row = 0; row < kRows; row += 37) CHECK(number_in(read_sample(*problem, Split::test, row)) == row);
}

}  // namespace lockstep
