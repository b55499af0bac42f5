#include "data/predictions/prediction_files.h"

#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <vector>

#include "base/input_file.h"
#include "data/arrays/hdf5_array.h"
#include "data/idx_files.h"
#include "data/predictions/prediction_text.h"
#include "support/check_error.h"
#include "support/file_limit.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

using Existing = PredictionFiles::Existing;
using Classes = std::vector<std::int32_t>;
using Values = std::vector<float>;

const PredictionOrigin kOrigin{.problem = "arrays",
                               .split = "test",
                               .model = "linear",
                               .step = 40,
                               .checkpoint = "step-40.ckpt.h5",
                               .weights = "plain"};

PredictionForm classes_of(std::int64_t samples, std::int64_t outputs) {
  return {.target = ProblemShape::Target::class_label, .samples = samples, .outputs = outputs};
}
PredictionForm numbers_of(std::int64_t samples, std::int64_t outputs) {
  return {.target = ProblemShape::Target::real, .samples = samples, .outputs = outputs};
}

// Sample i has class i % outputs, and values i, i + 1/4, ...
void put_rows(PredictionFiles& files, const PredictionForm& form, std::int64_t first, std::int64_t count) {
  Classes classes;
  Values values;
  for (std::int64_t sample = first; sample < first + count; ++sample) {
    if (form.classes()) classes.push_back(static_cast<std::int32_t>(sample % form.outputs));
    for (std::int64_t j = 0; j < form.outputs; ++j) {
      values.push_back(static_cast<float>(sample) + 0.25F * static_cast<float>(j));
    }
  }
  const PredictionRows rows{.first = first, .classes = classes, .values = values};
  std::string lines;
  append_predictions(form, rows, lines);
  files.put(rows, lines);
}

template <class T>
std::vector<T> read_back(const std::string& path, const std::string& data_set, const Shape& shape) {
  const auto array = open_hdf5_array(std::make_shared<const Hdf5File>(path), data_set);
  CHECK(array->form().extents == shape);
  std::vector<T> values(static_cast<std::size_t>(shape.elements()));
  array->read(0, shape[0], std::as_writable_bytes(std::span(values)));
  return values;
}

}  // namespace

TEST_CASE("classes and probabilities are read back from both files, which come when all is there") {
  const TemporaryFolder folder;
  const PredictionForm form = classes_of(5, 3);
  PredictionFiles files(folder.path(), form, kOrigin);
  put_rows(files, form, 0, 2);
  put_rows(files, form, 2, 3);
  CHECK(!std::filesystem::exists(files.hdf5_path()));
  CHECK(!std::filesystem::exists(files.csv_path()));
  files.publish();
  CHECK(files.hdf5_path() == folder / "predictions.h5");
  CHECK(read_back<std::int32_t>(files.hdf5_path(), "predictions", {5}) == Classes{0, 1, 2, 0, 1});
  CHECK(read_back<float>(files.hdf5_path(), "probabilities", {5, 3}) ==
        Values{0, 0.25F, 0.5F, 1, 1.25F, 1.5F, 2, 2.25F, 2.5F, 3, 3.25F, 3.5F, 4, 4.25F, 4.5F});
  CHECK(InputFile(files.csv_path()).read_all() ==
        "sample,prediction,probability\n0,0,0\n1,1,1.25\n2,2,2.5\n3,0,3\n4,1,4.25\n");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("sequences lie one after the other, and offsets say where each begins") {
  const TemporaryFolder folder;
  const PredictionForm form{.samples = 4, .outputs = 40, .sequences = true, .symbols = 6};
  PredictionFiles files(folder.path(), form, kOrigin);
  const auto put = [&](std::int64_t first, const Classes& lengths, const Classes& classes) {
    Values values, losses;
    for (const std::int32_t one : classes) {
      values.push_back(static_cast<float>(one) / 4);
      losses.push_back(static_cast<float>(one));
    }
    files.put({.first = first,
               .classes = classes,
               .values = values,
               .targets = classes,
               .losses = losses,
               .lengths = lengths},
              "");
  };
  put(0, {2, 1}, {7, 8, 9});
  check_error(ExitCode::internal, {"rows from 0 on after 2"}, [&] { put(0, {1}, {3}); });
  check_error(ExitCode::internal, {"sequences of other lengths"}, [&] { put(2, {2}, {3}); });
  put(2, {0, 3}, {3, 1, 2});
  files.publish();
  const std::string& path = files.hdf5_path();
  CHECK(read_back<std::int32_t>(path, "predictions", {6}) == Classes{7, 8, 9, 3, 1, 2});
  CHECK(read_back<float>(path, "probabilities", {6}) == Values{1.75F, 2, 2.25F, 0.75F, 0.25F, 0.5F});
  CHECK(read_back<std::int32_t>(path, "targets", {6}) == Classes{7, 8, 9, 3, 1, 2});
  CHECK(read_back<float>(path, "losses", {6}) == Values{7, 8, 9, 3, 1, 2});
  CHECK(read_back<std::int64_t>(path, "offsets", {5}) == std::vector<std::int64_t>{0, 2, 3, 3, 6});
}

TEST_CASE("the most probable symbols and the texts of all are read back") {
  const TemporaryFolder folder;
  const PredictionForm form{.samples = 2, .outputs = 4, .sequences = true, .symbols = 3, .top = 2, .texts = true};
  PredictionFiles files(folder.path(), form, kOrigin, {.texts = {"<pad>", "<end>", "\xff,", "the"}, .separator = " "});
  const auto put = [&](std::int64_t first, const Classes& lengths, const Classes& classes, const Classes& top,
                       const Values& top_probabilities) {
    const Values values(classes.size());
    files.put({.first = first,
               .classes = classes,
               .values = values,
               .targets = classes,
               .losses = values,
               .lengths = lengths,
               .top = top,
               .top_probabilities = top_probabilities},
              "");
  };
  put(0, {1}, {3}, {3, 0}, {0.75F, 0.25F});
  put(1, {2}, {2, 1}, {2, 1, 1, 3}, {0.5F, 0.375F, 1, 0});
  files.publish();
  const std::string& path = files.hdf5_path();
  CHECK(read_back<std::int32_t>(path, "top", {3, 2}) == Classes{3, 0, 2, 1, 1, 3});
  CHECK(read_back<float>(path, "top_probabilities", {3, 2}) == Values{0.75F, 0.25F, 0.5F, 0.375F, 1, 0});
  const auto bytes = read_back<unsigned char>(path, "symbol_texts", {15});
  CHECK(std::string(bytes.begin(), bytes.end()) == "<pad><end>\xff,the");
  CHECK(read_back<std::int64_t>(path, "symbol_offsets", {5}) == std::vector<std::int64_t>{0, 5, 10, 12, 15});
}

TEST_CASE("numbers, of which there are more than the file's other parts have bytes") {
  const TemporaryFolder folder;
  const PredictionForm form = numbers_of(70'001, 2);
  PredictionFiles files(folder.path(), form, kOrigin);
  put_rows(files, form, 0, 70'000);
  put_rows(files, form, 70'000, 1);
  files.publish();
  const Values values = read_back<float>(files.hdf5_path(), "predictions", {70'001, 2});
  CHECK(values[0] == 0);
  CHECK(values[70'001] == 35'000.25F);
  CHECK(values.back() == 70'000.25F);
  CHECK(std::filesystem::file_size(files.hdf5_path()) < 70'001 * 8 + 65536);
}

TEST_CASE("files of the same predictions have the same bytes") {
  std::vector<std::string> texts;
  for (int run = 0; run < 2; ++run) {
    const TemporaryFolder folder;
    const PredictionForm form = classes_of(3, 2);
    PredictionFiles files(folder.path(), form, kOrigin);
    put_rows(files, form, 0, 3);
    files.publish();
    texts.push_back(InputFile(files.hdf5_path()).read_all());
  }
  CHECK(texts[0] == texts[1]);
}

TEST_CASE("what is not finished is removed, and older predictions stay") {
  const TemporaryFolder folder;
  const PredictionForm form = numbers_of(4, 1);
  write_file(folder / "predictions.h5", {1, 2, 3});
  {
    PredictionFiles files(folder.path(), form, kOrigin);
    put_rows(files, form, 0, 3);
    check_error(ExitCode::internal, {"rows from 0 on after 3"}, [&] { put_rows(files, form, 0, 1); });
    check_error(ExitCode::internal, {"3 of 4 rows"}, [&] { files.publish(); });
  }
  CHECK(InputFile(folder / "predictions.h5").bytes() == 3);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("older files are replaced, and one of them never stands beside a new one") {
  const TemporaryFolder folder;
  const PredictionForm form = numbers_of(4, 1);
  constexpr std::int64_t kOld = 3;  // bytes
  const auto publish = [&] {
    PredictionFiles files(folder.path(), form, kOrigin);
    put_rows(files, form, 0, 4);
    files.publish();
  };
  write_file(folder / "predictions.h5", {1, 2, 3});
  write_file(folder / "predictions.csv", {1, 2, 3});
  publish();
  CHECK(InputFile(folder / "predictions.h5").bytes() > kOld);
  CHECK(InputFile(folder / "predictions.csv").bytes() > kOld);
  // Publishing fails halfway, because a name belongs to a folder, which cannot be replaced.
  std::filesystem::remove(folder / "predictions.h5");
  std::filesystem::create_directory(folder / "predictions.h5");
  check_error(ExitCode::cannot_write, {"cannot rename the finished file to", "predictions.h5"}, publish);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a job that another one has overtaken leaves what that one has written") {
  const PredictionForm form = numbers_of(4, 1);
  const TemporaryFolder folder;
  PredictionFiles slow(folder.path(), form, kOrigin);
  put_rows(slow, form, 0, 4);
  {
    PredictionFiles fast(folder.path(), form, kOrigin);
    put_rows(fast, form, 0, 4);
    fast.publish();
  }
  check_error(ExitCode::cannot_write, {"cannot find the finished file", "predictions.h5.tmp", "another program"},
              [&] { slow.publish(); });
  CHECK(std::filesystem::exists(folder / "predictions.h5"));
  CHECK(std::filesystem::exists(folder / "predictions.csv"));
}

TEST_CASE("an older CSV file that cannot be removed: nothing is replaced") {
  const TemporaryFolder folder;
  const PredictionForm form = numbers_of(4, 1);
  write_file(folder / "predictions.h5", {1, 2, 3});
  std::filesystem::create_directory(folder / "predictions.csv");
  {
    PredictionFiles files(folder.path(), form, kOrigin);
    put_rows(files, form, 0, 4);
    check_error(ExitCode::cannot_write, {"cannot remove the old", folder / "predictions.csv", "irectory"},
                [&] { files.publish(); });
  }
  CHECK(InputFile(folder / "predictions.h5").bytes() == 3);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("no room: nothing is left") {
  const TemporaryFolder folder;
  const FileLimit limit(500'000);
  check_error(ExitCode::cannot_write, {"cannot reserve", "predictions.h5.tmp", "File too large"},
              [&] { PredictionFiles(folder.path(), numbers_of(125'000, 1), kOrigin); });
  CHECK(std::filesystem::is_empty(folder.path()));
  // The CSV file is the larger one: its size is noticed only while writing.
  const PredictionForm form = classes_of(50'000, 1);
  check_error(ExitCode::cannot_write, {"cannot write to", "predictions.csv.tmp", "File too large"}, [&] {
    PredictionFiles files(folder.path(), form, kOrigin);
    for (std::int64_t first = 0; first < form.samples; first += 1000) put_rows(files, form, first, 1000);
  });
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("the folder is made, and files that are there are kept unless they may be replaced") {
  const TemporaryFolder folder;
  PredictionFiles::check_folder(folder / "a/b", Existing::refused);
  CHECK(std::filesystem::is_directory(folder / "a/b"));
  write_file(folder / "predictions.csv", {1});
  check_error(ExitCode::configuration, {folder / "predictions.csv", "there already", "--overwrite"},
              [&] { PredictionFiles::check_folder(folder.path(), Existing::refused); });
  PredictionFiles::check_folder(folder.path(), Existing::replaced);
  std::filesystem::create_directory(folder / "predictions.h5");
  check_error(ExitCode::usage, {(folder / "predictions.h5") + ": it is a folder, and a file is needed"},
              [&] { PredictionFiles::check_folder(folder.path(), Existing::replaced); });
  check_error(ExitCode::cannot_write, {"cannot make the folder", "--output_dir"},
              [&] { PredictionFiles::check_folder(folder / "predictions.csv/c", Existing::refused); });
}

}  // namespace lockstep
