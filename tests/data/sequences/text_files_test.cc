#include "data/sequences/text_files.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "data/locked_path.h"
#include "data/sequences/text_folder.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

using Names = std::vector<std::string>;

TextFiles find(const TextFolder& folder, std::optional<Split> only = {}) {
  return find_text_files({.data_dir = folder.path(), .only = only}, "texts");
}

Names names_of(const TextFiles& files, Split split) {
  Names names;
  for (const std::string& path : files.paths[split]) names.push_back(std::filesystem::path(path).filename().string());
  return names;
}

void write_all(const TextFolder& folder, const Names& names) {
  for (const std::string& name : names) folder.write(name, "text");
}

}  // namespace

TEST_CASE("names say which split a file belongs to; the files of a split are sorted") {
  const TextFolder folder;
  write_all(folder,
            {"train-01.txt", "train-00.txt.gz", "train.txt", "train_2.txt", "train3.txt", "dev.txt", "test.2016.txt",
             "training.txt", "testament.txt", "valid.txt", "train.csv", "train.gz", ".train.txt"});
  const TextFiles files = find(folder);
  CHECK(names_of(files, Split::train) ==
        Names{"train-00.txt.gz", "train-01.txt", "train.txt", "train3.txt", "train_2.txt"});
  CHECK(names_of(files, Split::dev) == Names{"dev.txt"});
  CHECK(names_of(files, Split::test) == Names{"test.2016.txt"});
  CHECK(!files.dev_is_end_of_train);
  CHECK(files.left_out == Names{"testament.txt", "training.txt", "valid.txt"});
}

TEST_CASE("files without a split's name are the training text, whose end is the dev split") {
  const TextFolder folder;
  write_all(folder, {"b.txt", "a.txt.gz", "testament.txt", ".hidden.txt", "notes.md"});
  const TextFiles files = find(folder);
  CHECK(names_of(files, Split::train) == Names{"a.txt.gz", "b.txt", "testament.txt"});
  CHECK(names_of(files, Split::dev).empty());
  CHECK(names_of(files, Split::test).empty());
  CHECK(files.dev_is_end_of_train);
  CHECK(files.left_out.empty());
  CHECK(find(folder, Split::dev).dev_is_end_of_train);
  check_error(ExitCode::missing_input, {folder.path(), "no text of the test split", "test*.txt", "train", "dev"},
              [&] { find(folder, Split::test); });
}

TEST_CASE("of a file that is plain and packed the plain one counts, and folders do not") {
  const TextFolder folder;
  write_all(folder, {"train.txt", "train.txt.gz", "dev.txt.gz"});
  std::filesystem::create_directory(folder / "dev.txt");
  std::filesystem::create_directory(folder / "test.txt");
  CHECK(names_of(find(folder), Split::train) == Names{"train.txt"});
  CHECK(names_of(find(folder), Split::dev) == Names{"dev.txt.gz"});
  CHECK(names_of(find(folder), Split::test).empty());
}

TEST_CASE("what has to be there is the training split, or the one that is asked for") {
  const TextFolder folder;
  write_all(folder, {"dev.txt", "notes.txt"});
  check_error(ExitCode::missing_input,
              {"texts", folder.path(), "no text of the train split", "train*.txt", "it has text of dev"},
              [&] { find(folder); });
  check_error(ExitCode::missing_input, {"no text of the test split", "there is dev: --eval_split=dev"},
              [&] { find(folder, Split::test); });
  CHECK(names_of(find(folder, Split::dev), Split::dev) == Names{"dev.txt"});
  CHECK(names_of(find_text_files({.data_dir = folder.path(), .known = ProblemShape{}}, "texts"), Split::dev) ==
        Names{"dev.txt"});
}

TEST_CASE("a folder that is none, has no text or may not be listed is a missing input") {
  const TextFolder folder;
  check_error(ExitCode::usage, {"texts needs --data_dir=FOLDER", ".txt"}, [] { find_text_files({}, "texts"); });
  check_error(ExitCode::missing_input, {folder.path(), "no .txt or .txt.gz file at all"}, [&] { find(folder); });
  check_error(ExitCode::missing_input, {folder / "none", "no such folder"},
              [&] { find_text_files({.data_dir = folder / "none"}, "texts"); });
  folder.write("a.txt", "a");
  check_error(ExitCode::missing_input, {folder / "a.txt", "this is a file"},
              [&] { find_text_files({.data_dir = folder / "a.txt"}, "texts"); });
  std::filesystem::create_symlink("gone", folder / "b.txt");
  check_error(ExitCode::missing_input, {folder / "b.txt", "gone"}, [&] { find(folder); });
  const LockedPath locked(folder.path());
  check_error(ExitCode::missing_input, {folder.path(), "cannot list it"}, [&] { find(folder); });
}

}  // namespace lockstep
