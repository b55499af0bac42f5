#include "data/unpacked_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>

#include "idx_files.h"
#include "locked_path.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

// 300000 bytes without a short period: more than one piece of the reader's.
Bytes many_bytes() {
  Bytes bytes(300000);
  std::uint32_t state = 1;
  for (auto& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  return bytes;
}

Bytes read_all(const std::string& path, std::size_t piece) {
  UnpackedFile file(path);
  Bytes all;
  Bytes bytes(piece);
  for (;;) {
    const std::size_t count = file.read(bytes);
    all.insert(all.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
    if (count < piece) return all;
  }
}

}  // namespace

TEST_CASE("plain and packed files give the same bytes, in pieces of any size") {
  const TemporaryFolder folder;
  const Bytes bytes = many_bytes();
  write_file(folder / "plain", bytes);
  write_file(folder / "packed", packed(bytes));
  write_file(folder / "two_members",
             joined(packed(cut(bytes, 100000)), packed(Bytes(bytes.begin() + 100000, bytes.end()))));
  for (const char* name : {"plain", "packed", "two_members"}) {
    for (const std::size_t piece : {1, 1000, 65536, 1000000}) {
      CAPTURE(name);
      CAPTURE(piece);
      CHECK(read_all(folder / name, piece) == bytes);
    }
    CHECK(UnpackedFile(folder / name).packed() == (std::string(name) != "plain"));
    CHECK(UnpackedFile(folder / name).most_bytes() >= 300000);
  }
  CHECK(UnpackedFile(folder / "plain").most_bytes() == 300000);
}

TEST_CASE("the bound on unpacked bytes holds for what packs best") {
  const TemporaryFolder folder;
  write_file(folder / "zeros.gz", packed(Bytes(50'000'000)));
  CHECK(UnpackedFile(folder / "zeros.gz").most_bytes() >= 50'000'000);
  CHECK(UnpackedFile(folder / "zeros.gz").most_bytes() < 60'000'000);
}

TEST_CASE("small files") {
  const TemporaryFolder folder;
  write_file(folder / "empty", {});
  write_file(folder / "one", {0x1F});
  write_file(folder / "packed_empty", packed({}));
  CHECK(read_all(folder / "empty", 10).empty());
  CHECK(read_all(folder / "one", 10) == Bytes{0x1F});
  CHECK(read_all(folder / "packed_empty", 10).empty());
}

TEST_CASE("packed files cut off anywhere are refused") {
  const TemporaryFolder folder;
  const Bytes whole = packed(cut(many_bytes(), 500));
  for (std::size_t size = 2; size < whole.size(); ++size) {
    write_file(folder / "cut.gz", cut(whole, size));
    CAPTURE(size);
    check_error(ExitCode::bad_data, {"cut.gz", "cut off after " + std::to_string(size) + " bytes", "get it again"},
                [&] { read_all(folder / "cut.gz", 64); });
  }
}

TEST_CASE("a flipped byte in packed data is found") {
  const TemporaryFolder folder;
  const Bytes whole = packed(Bytes(2000, 7));
  // Changes in the time stamp, extra flags and system of the header (bytes 4 to 9) are not tried: no checksum covers
  // them.
  for (std::size_t at = 10; at < whole.size(); ++at) {
    write_file(folder / "flipped.gz", flipped(whole, at));
    CAPTURE(at);
    check_error(ExitCode::bad_data, {"flipped.gz", "not a sound gzip file"},
                [&] { read_all(folder / "flipped.gz", 64); });
  }
}

TEST_CASE("something after the packed data is refused") {
  const TemporaryFolder folder;
  write_file(folder / "more.gz", joined(packed({1, 2, 3}), {'m', 'o', 'r', 'e'}));
  check_error(ExitCode::bad_data, {"more.gz", "something else follows"}, [&] { read_all(folder / "more.gz", 64); });
  write_file(folder / "more.gz", joined(packed({1, 2, 3}), {0x1F, 0x00}));
  check_error(ExitCode::bad_data, {"more.gz", "damaged"}, [&] { read_all(folder / "more.gz", 64); });
}

TEST_CASE("what is not a readable file is missing input") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& name, const std::string& why) {
    check_error(ExitCode::missing_input, {name, why}, [&] { UnpackedFile(folder / name); });
  };
  refused("nothing", "No such file");
  std::filesystem::create_directory(folder / "folder");
  refused("folder", "it is a folder");
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  refused("pipe", "not a regular file");
  std::filesystem::create_symlink("loop", folder / "loop");
  refused("loop", "symbolic links");

  write_file(folder / "locked", {1, 2, 3});
  const LockedPath locked(folder / "locked");
  refused("locked", "Permission denied");
}

}  // namespace lockstep
