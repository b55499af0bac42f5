#include "train/served/update_log_file.h"

#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "support/check_error.h"
#include "support/file_limit.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

TEST_CASE("the file of an update log has its lines after a second, when they are many, and at the end") {
  const TemporaryFolder folder;
  const std::string path = folder / "run/ps_log.0.jsonl";
  UpdateLogFile file(path);
  CHECK(text_of(path).empty());
  file.add("one\n");
  file.write_if_due();
  CHECK(text_of(path).empty());
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  file.write_if_due();
  CHECK(text_of(path) == "one\n");
  file.write_if_due();
  const std::string many(1000, 'x');
  for (int i = 0; i < 100; ++i) file.add(many + "\n");
  const std::string meanwhile = text_of(path);
  CHECK(meanwhile.size() > 64000);
  CHECK(meanwhile.back() == '\n');
  file.finish();
  CHECK(text_of(path).size() == 4 + 100 * 1001);
}

TEST_CASE("the file of an update log takes the place of an earlier one") {
  const TemporaryFolder folder;
  const std::string path = folder / "ps_log.0.jsonl";
  std::ofstream(path) << "of before\n";
  UpdateLogFile file(path);
  file.add("one\n");
  file.finish();
  CHECK(text_of(path) == "one\n");
}

TEST_CASE("an update log that cannot be written is an error that names the file") {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "no folder";
  check_error(ExitCode::cannot_write, {"cannot make the folder", "/file/run", "--output_dir"},
              [&] { UpdateLogFile(folder / "file/run/ps_log.0.jsonl"); });
  const std::string path = folder / "ps_log.0.jsonl";
  UpdateLogFile file(path);
  file.add("a line that is longer than the limit\n");
  const FileLimit limit(10);
  check_error(ExitCode::cannot_write, {path, "make room"}, [&] { file.finish(); });
  CHECK(text_of(path).empty());  // not half a line
}

}  // namespace lockstep
