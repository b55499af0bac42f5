#include "base/durable_file.h"
#include "base/input_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/error.h"
#include "support/check_error.h"
#include "support/file_limit.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

// Returns that many bytes of text, for files larger than one write.
std::string long_text(std::size_t bytes) {
  std::string text;
  text.resize(bytes, 'x');
  return text;
}

std::size_t files_in(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator()));
}

// Returns the message of the error that replacing this file throws.
std::string refusal(const std::string& path, const std::string& text) {
  try {
    replace_file(path, bytes_of(text));
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::cannot_write);
    return error.what();
  }
  FAIL_CHECK("it was written");
  return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a file takes the place of a file or of nothing, and of nothing else") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "folder");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  std::ofstream(folder / "file") << "text";
  std::filesystem::create_symlink(folder / "file", folder / "link");
  std::filesystem::create_symlink("/proc/self/fd/1", folder / "standard output");
  for (const char* name : {"file", "nothing", "file/below"}) check_file_place(folder / name, "--output=x");
  struct Case {
    const char* name;
    const char* what;
  };
  for (const Case& one : std::initializer_list<Case>{
           {"folder", "a folder"}, {"pipe", "no regular file"}, {"link", "a link"}, {"standard output", "a link"}}) {
    CAPTURE(one.name);
    check_error(ExitCode::usage, {std::string("--output=x: it is ") + one.what + ", and a file is needed"},
                [&] { check_file_place(folder / one.name, "--output=x"); });
  }
}

TEST_CASE("a file is put in its place, over an old one and over what a killed writer left") {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  for (const std::string& text : {std::string("first"), std::string(), long_text(9'000'001)}) {
    std::ofstream(path + ".tmp") << "left by a killed writer, and longer than what follows";
    replace_file(path, bytes_of(text));
    CHECK(read_file(path) == text);
    CHECK(files_in(folder) == 1);
  }
}

TEST_CASE("the bytes are safe and the file not yet there when the caller is asked, who may refuse") {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  replace_file(path, bytes_of("old"));
  replace_file(path, bytes_of("new"), [&] {
    CHECK(read_file(path) == "old");
    CHECK(read_file(path + ".tmp") == "new");
  });
  CHECK(read_file(path) == "new");
  const auto refuse = [] { throw std::runtime_error("no"); };
  CHECK_THROWS_WITH(replace_file(path, bytes_of("newer"), refuse), "no");
  CHECK(read_file(path) == "new");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("a writer that wakes up late leaves alone what another one writes under the name") {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  const auto another_comes = [&] {
    std::filesystem::remove(path + ".tmp");
    std::ofstream(path + ".tmp") << "another's";
  };
  try {
    replace_file(path, bytes_of("mine"), another_comes);
    FAIL_CHECK("it took the other's file");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::cannot_write);
  }
  CHECK(!std::filesystem::exists(path));
  CHECK(read_file(path + ".tmp") == "another's");
}

TEST_CASE("a file in the folder that the process stands in") {
  const TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  replace_file("plain", bytes_of("text"));
  std::filesystem::current_path(before);
  CHECK(read_file(folder / "plain") == "text");
}

TEST_CASE("what cannot be written says why and what helps") {
  const TemporaryFolder folder;
  const std::string gone = refusal(folder / "nowhere/a", "text");
  CHECK(has(gone,
            "cannot create '" + (folder / "nowhere/a.tmp") + "': No such file or directory; the folder is not there"));
  CHECK(gone.ends_with(", or give another --output_dir"));
  check_error(ExitCode::cannot_write, {"cannot create '", ", or give another --output_path"},
              [&] { replace_file(folder / "nowhere/a", bytes_of("text"), {}, "--output_path"); });

  std::filesystem::create_directory(folder / "b");
  CHECK(has(refusal(folder / "b", "text"), "cannot rename the finished file to '" + (folder / "b")));
  CHECK(!std::filesystem::exists(folder / "b.tmp"));

  if (geteuid() != 0) {
    std::filesystem::create_directory(folder / "locked");
    ::chmod((folder / "locked").c_str(), 0500);
    CHECK(has(refusal(folder / "locked/a", "text"), "change the folder's permissions"));
  }
}

TEST_CASE("a file that becomes too large is reported, and what was written of it is removed") {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  replace_file(path, bytes_of("old"));
  for (const std::size_t allowed : {std::size_t{1}, std::size_t{5'000'000}}) {
    const FileLimit limit(allowed);
    const std::string message = refusal(path, long_text(6'000'000));
    CHECK(has(message, "cannot write to '" + path + ".tmp': File too large"));
    CHECK(has(message, "ulimit -f"));
    CHECK(files_in(folder) == 1);
    CHECK(read_file(path) == "old");
  }
}

TEST_CASE("a folder is synced, and one that is gone is reported") {
  const TemporaryFolder folder;
  sync_folder(folder.path());
  sync_folder(".");
  CHECK_THROWS_AS(sync_folder(folder / "nowhere"), Error);
}

}  // namespace lockstep
