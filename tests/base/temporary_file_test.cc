#include "base/temporary_file.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "base/input_file.h"
#include "support/check_error.h"
#include "support/file_limit.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

std::span<const std::byte> as_bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

TEST_CASE("a file is written piece by piece, in place and at its end, and gets its name when it is whole") {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  {
    TemporaryFile file(path);
    file.reserve(6);
    CHECK(std::filesystem::file_size(path + ".tmp") == 6);
    file.write_at(4, as_bytes_of("56"));
    file.write(as_bytes_of("12"));
    file.start_flush();
    file.write(as_bytes_of("34"));
    file.finish();
    CHECK(!std::filesystem::exists(path));
    file.move_to_place();
  }
  CHECK(InputFile(path).read_all() == "123456");
  CHECK(!std::filesystem::exists(path + ".tmp"));
}

TEST_CASE("what is reserved can be more than is used") {
  const TemporaryFolder folder;
  const TemporaryFile file(folder / "a");
  file.reserve(100'000);
  file.reserve(10);
  CHECK(std::filesystem::file_size(folder / "a.tmp") == 10);
}

TEST_CASE("a file that is given up leaves nothing") {
  const TemporaryFolder folder;
  { TemporaryFile(folder / "a").write(as_bytes_of("text")); }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("room that the system refuses") {
  const TemporaryFolder folder;
  const FileLimit limit(1000);
  const TemporaryFile file(folder / "a");
  check_error(ExitCode::cannot_write, {"cannot reserve 1001 bytes for '", "a.tmp", "File too large", "ulimit -f"},
              [&] { file.reserve(1001); });
  file.reserve(1000);
  check_error(ExitCode::cannot_write, {"cannot write to '", "a.tmp"}, [&] { file.write_at(999, as_bytes_of("12")); });
}

}  // namespace lockstep
