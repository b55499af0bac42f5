#include "base/input_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "base/error.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

constexpr FileRules kStream{.kind = FileRules::Kind::stream};

std::string write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

void refused(const std::string& path, const std::string& why, const FileRules& rules = {}) {
  check_error(ExitCode::missing_input, {"cannot read '" + path + "': ", why}, [&] { read_file(path, rules); });
}

}  // namespace

TEST_CASE("input file: whole files of any size") {
  const TemporaryFolder folder;
  for (const std::size_t size : {0, 1, 4095, 4096, 4097, 1'000'003}) {
    std::string text(size, 'x');
    if (size > 0) text.back() = '\0';
    CHECK(read_file(write(folder / "a", text)) == text);
  }
  CHECK(read_file("/proc/self/stat").size() > 10);  // its stat() size is 0
}

TEST_CASE("input file: piece by piece, and at any place") {
  const TemporaryFolder folder;
  InputFile file(write(folder / "a", "0123456789"));
  CHECK(file.bytes() == 10);
  std::array<char, 4> into{};
  const auto bytes = std::as_writable_bytes(std::span(into));
  const auto text = [&](std::size_t count) { return std::string(into.data(), count); };
  CHECK(text(file.read(bytes)) == "0123");
  CHECK(text(file.read_at(7, bytes)) == "789");
  CHECK(text(file.read(bytes)) == "4567");
  CHECK(text(file.read(bytes)) == "89");
  CHECK(file.read(bytes) == 0);

  std::filesystem::remove(folder / "a");
  CHECK(file.status().st_size == 10);
  CHECK(text(file.read_at(0, bytes)) == "0123");
}

TEST_CASE("input file: what is no file is refused, and nothing is waited for") {
  const TemporaryFolder folder;
  refused(folder / "nowhere", "No such file or directory");
  refused(folder.path(), "it is a folder, a file is needed");
  refused(folder.path(), "it is a folder, a file is needed", kStream);
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  refused(folder / "pipe", "it is not a regular file");
  refused("/dev/zero", "it is not a regular file");
  refused(folder / "pipe", "nothing was written to this pipe", kStream);
}

TEST_CASE("input file: links are followed unless they are refused") {
  const TemporaryFolder folder;
  write(folder / "a", "text");
  std::filesystem::create_symlink("a", folder / "link");
  std::filesystem::create_symlink("loop", folder / "loop");
  CHECK(read_file(folder / "link") == "text");
  refused(folder / "link", "symbolic links", {.links = FileRules::Links::refused});
  refused(folder / "loop", "symbolic links");
}

TEST_CASE("input file: a stream is read until its writers have closed it") {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  // Opened for reading, too, so that the open does not block and a writer exists when the reader starts.
  Descriptor writer = open_descriptor(pipe, O_RDWR);
  const std::string first(50'000, 'a');
  const std::string second(100'000, 'b');
  REQUIRE(write_fully(writer.number(), std::as_bytes(std::span(first))).error == 0);
  std::string text;
  std::jthread reader([&] { text = read_file(pipe, kStream); });
  REQUIRE(write_fully(writer.number(), std::as_bytes(std::span(second))).error == 0);  // more than a pipe holds
  writer.close();
  reader.join();
  CHECK(text == first + second);
}

TEST_CASE("input file: more bytes than allowed are bad data") {
  const TemporaryFolder folder;
  write(folder / "a", "12345");
  CHECK(read_file(folder / "a", {.max_bytes = 5}) == "12345");
  const auto too_large = [](const std::string& path, const FileRules& rules) {
    check_error(ExitCode::bad_data, {"'" + path + "' has more than 4 bytes"}, [&] { read_file(path, rules); });
  };
  too_large(folder / "a", {.max_bytes = 4});
  too_large("/dev/zero", {.kind = FileRules::Kind::stream, .max_bytes = 4});
}

TEST_CASE("input file: a whole file has a size that memory holds, whatever its rules allow") {
  const TemporaryFolder folder;
  std::filesystem::resize_file(write(folder / "sparse", ""), std::uintmax_t{1} << 40);
  CHECK(InputFile(folder / "sparse").bytes() == std::int64_t{1} << 40);
  check_error(ExitCode::bad_data, {"sparse", "more than 1073741824 bytes"}, [&] { read_file(folder / "sparse"); });
}

TEST_CASE("input file: nothing of that name is no file; a link to nothing is one that cannot be read") {
  const TemporaryFolder folder;
  CHECK(!InputFile::if_there(folder / "a"));
  std::filesystem::create_symlink("nowhere", folder / "link");
  check_error(ExitCode::missing_input, {"link", "No such file"}, [&] { InputFile::if_there(folder / "link"); });
  CHECK(InputFile::if_there(write(folder / "a", "text"))->read_all() == "text");
}

TEST_CASE("what cannot be read is reported") {
  const TemporaryFolder folder;
  for (const std::string& path : {folder / "nowhere", folder.path()}) refused(path, "");
}

}  // namespace lockstep
