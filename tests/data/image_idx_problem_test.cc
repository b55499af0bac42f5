#include "data/image_idx_problem.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <vector>

#include "data/problems.h"
#include "idx_files.h"
#include "locked_path.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

constexpr const char* kTrainImages = "train-images-idx3-ubyte";
constexpr const char* kTrainLabels = "train-labels-idx1-ubyte";
constexpr const char* kTestImages = "t10k-images-idx3-ubyte";
constexpr const char* kTestLabels = "t10k-labels-idx1-ubyte";

// Pixel p of image i is 40 * i + p.
Bytes images(std::uint32_t count, std::uint32_t rows, std::uint32_t columns) {
  Bytes values;
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t p = 0; p < rows * columns; ++p) values.push_back(static_cast<std::uint8_t>(40 * i + p));
  }
  return idx_bytes({count, rows, columns}, values);
}

Bytes labels(const Bytes& values) { return idx_bytes({static_cast<std::uint32_t>(values.size())}, values); }

// Five train and two test images of 3 x 2 pixels; some files packed, some not.
void write_sound_files(const TemporaryFolder& folder) {
  write_file(folder / kTrainImages, images(5, 3, 2));
  write_file(folder / kTrainLabels + ".gz", packed(labels({9, 0, 3, 3, 7})));
  write_file(folder / kTestImages + ".gz", packed(images(2, 3, 2)));
  write_file(folder / kTestLabels, labels({1, 2}));
}

std::unique_ptr<Problem> make(const TemporaryFolder& folder) {
  return make_image_fashion_mnist({.data_dir = folder.path()});
}

void refused(const TemporaryFolder& folder, ExitCode code, std::initializer_list<std::string> parts) {
  check_error(code, parts, [&] { make(folder); });
}

}  // namespace

TEST_CASE("images and labels come by their number") {
  const TemporaryFolder folder;
  write_sound_files(folder);
  const auto problem = make(folder);
  CHECK(problem->shape().input == Shape{3, 2, 1});
  CHECK(problem->shape().target == ProblemShape::Target::class_label);
  CHECK(problem->shape().outputs == 10);
  CHECK(problem->count(Split::train) == 5);
  CHECK(problem->count(Split::dev) == 0);
  CHECK(problem->count(Split::test) == 2);

  std::array<float, 6> input{};
  std::int32_t label = -1;
  const SampleSlot slot{.input = input, .label = &label, .target = {}};
  problem->read(Split::train, 4, slot);
  CHECK(label == 7);
  for (std::size_t p = 0; p < input.size(); ++p) CHECK(input[p] == static_cast<float>(160 + p) / 255.0F);
  problem->read(Split::test, 1, slot);
  CHECK(label == 2);
  for (std::size_t p = 0; p < input.size(); ++p) CHECK(input[p] == static_cast<float>(40 + p) / 255.0F);
  check_error(ExitCode::internal, {"no such sample"}, [&] { problem->read(Split::train, 5, slot); });
}

TEST_CASE("without --data_dir the message names the flag, the files and their source") {
  check_error(ExitCode::usage, {"image_mnist", "--data_dir=FOLDER", kTrainImages, kTestLabels, "a mirror of MNIST"},
              [] { make_image_mnist({}); });
  check_error(ExitCode::usage, {"image_fashion_mnist", "--data_dir=FOLDER", "github.com/zalandoresearch/fashion-mnist"},
              [] { make_image_fashion_mnist({}); });
}

TEST_CASE("a folder that is none") {
  const TemporaryFolder folder;
  check_error(ExitCode::missing_input, {"--data_dir=" + (folder / "nowhere"), "no such folder"},
              [&] { make_image_mnist({.data_dir = folder / "nowhere"}); });
  write_file(folder / "file", {1});
  check_error(ExitCode::missing_input, {"--data_dir=" + (folder / "file"), "this is a file"},
              [&] { make_image_mnist({.data_dir = folder / "file"}); });

  std::filesystem::create_directory(folder / "locked");
  const LockedPath locked(folder / "locked");
  check_error(ExitCode::missing_input, {"cannot look for", folder / "locked", "Permission denied"},
              [&] { make_image_mnist({.data_dir = folder / "locked"}); });
}

TEST_CASE("exactly the missing files are listed") {
  const TemporaryFolder folder;
  refused(folder, ExitCode::missing_input,
          {fmt::format("{}, {}, {}, {} (plain or .gz)", kTrainImages, kTrainLabels, kTestImages, kTestLabels),
           folder.path(), "github.com/zalandoresearch/fashion-mnist"});
  write_sound_files(folder);
  std::filesystem::remove(folder / kTestLabels);
  refused(folder, ExitCode::missing_input, {fmt::format("lacks {} (plain or .gz)", kTestLabels)});
  std::filesystem::remove(folder / kTrainImages);
  refused(folder, ExitCode::missing_input, {fmt::format("lacks {}, {} (plain or .gz)", kTrainImages, kTestLabels)});
}

TEST_CASE("a folder in a file's place gives way to the packed file, else it is named") {
  const TemporaryFolder folder;
  write_sound_files(folder);
  std::filesystem::create_directory(folder / kTrainLabels);
  CHECK(make(folder)->count(Split::train) == 5);
  std::filesystem::remove(folder / kTrainLabels + ".gz");
  refused(folder, ExitCode::missing_input, {kTrainLabels, "it is a folder"});
}

TEST_CASE("images and labels that do not belong together") {
  const TemporaryFolder folder;
  write_sound_files(folder);
  write_file(folder / kTestLabels, labels({1, 2, 3}));
  refused(folder, ExitCode::bad_data, {kTestImages, "has 2 images", kTestLabels, "has 3 labels"});
}

TEST_CASE("train and test images of different size") {
  const TemporaryFolder folder;
  write_sound_files(folder);
  write_file(folder / kTestImages + ".gz", packed(images(2, 2, 3)));
  refused(folder, ExitCode::bad_data, {kTrainImages, "3 x 2", kTestImages, "2 x 3"});
}

TEST_CASE("a label outside the classes") {
  const TemporaryFolder folder;
  write_sound_files(folder);
  write_file(folder / kTrainLabels + ".gz", packed(labels({9, 0, 3, 10, 7})));
  refused(folder, ExitCode::bad_data, {kTrainLabels, "sample 3 ", "label 10", "classes 0 to 9"});
}

TEST_CASE("labels in the place of images") {
  const TemporaryFolder folder;
  write_sound_files(folder);
  write_file(folder / kTrainImages, labels({9, 0, 3, 3, 7}));
  refused(folder, ExitCode::bad_data, {kTrainImages, "0x00000801", "0x00000803"});
}

}  // namespace lockstep
