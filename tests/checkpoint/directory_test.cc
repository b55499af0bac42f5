#include "checkpoint/directory.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "base/error.h"
#include "base/input_file.h"
#include "checkpoint_states.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

using Steps = std::vector<std::int64_t>;

std::vector<std::pair<std::int64_t, bool>> pairs(const std::vector<ResumeCandidate>& candidates) {
  std::vector<std::pair<std::int64_t, bool>> all;
  for (const ResumeCandidate& one : candidates) all.emplace_back(one.step, one.named);
  return all;
}
using Pairs = std::vector<std::pair<std::int64_t, bool>>;

// A folder whose files hold their own step as text.
struct Folder {
  explicit Folder(std::int64_t keep_max = 3) : checkpoints(temporary.path(), {.most = keep_max}) {}

  void save(std::int64_t step, bool finished = false) const {
    const std::string text = std::to_string(step);
    checkpoints.add(step, std::as_bytes(std::span(text)), {});
    if (finished) checkpoints.finish({});
  }
  // Makes the state after a save that was killed between its two renames.
  void save_half(std::int64_t step) const { put_file(checkpoints.path_of(step), std::to_string(step)); }
  void put_index(const std::string& text) const { put_file(temporary / "checkpoint.json", text); }
  std::string index_text() const { return read_file(temporary / "checkpoint.json"); }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(temporary.path())) {
      all.push_back(entry.path().filename().string());
    }
    std::ranges::sort(all);
    return all;
  }

  TemporaryFolder temporary;
  CheckpointDirectory checkpoints;
};

}  // namespace

TEST_CASE("the newest are kept, the older ones go") {
  const Folder folder(2);
  CHECK(!folder.checkpoints.index());
  CHECK(folder.checkpoints.candidates().empty());
  folder.save(0);
  folder.save(100);
  folder.save(200, true);
  CHECK(folder.checkpoints.files() == Steps{100, 200});
  CHECK(folder.index_text() ==
        R"({"newest":"model.ckpt-200.h5","step":200,"kept":["model.ckpt-100.h5","model.ckpt-200.h5"],"finished":true})"
        "\n");
  const auto index = folder.checkpoints.index();
  REQUIRE(index);
  CHECK(index->newest == 200);
  CHECK(index->kept == Steps{100, 200});
  CHECK(index->finished);
  CHECK(folder.names() == std::vector<std::string>{"checkpoint.json", "model.ckpt-100.h5", "model.ckpt-200.h5"});
}

TEST_CASE("a checkpoint that does not fit on the disk is refused before it is written") {
  const TemporaryFolder folder;
  const CheckpointDirectory directory(folder.path(), {.most = 3});
  CHECK_NOTHROW(directory.check_room(1));
  CHECK_NOTHROW(CheckpointDirectory(folder.path() + "/none").check_room(1));  // nothing is known of its disk
  CHECK_NOTHROW(CheckpointDirectory("/proc").check_room(1));                  // nor of one that reports no size
  check_error(ExitCode::cannot_write, {"1000000000000.0 MB", folder.path(), "make room"},
              [&] { directory.check_room(1'000'000'000'000'000'000); });
}

TEST_CASE("by default as many are kept as fit half of the disk and leave room for the next, but the newest always") {
  const std::vector<CheckpointSize> files(25, {.bytes = 100});
  const DiskRoom full{.capacity = 1'000'000};
  CHECK(beyond({}, files, full) == 0);
  CHECK(beyond({.most = 3}, files, full) == 22);
  CHECK(beyond(kUsuallyKept, files, DiskRoom{.capacity = 1'000'000, .free = 900'000}) == 5);
  CHECK(beyond(kUsuallyKept, files, {}) == 5);  // a disk of unknown size
  CHECK(beyond(kUsuallyKept, files, DiskRoom{.capacity = 3000, .free = 500}) == 10);
  CHECK(beyond(kUsuallyKept, std::span(files).first(20), full) == 1);  // filled by others
  CHECK(beyond(kUsuallyKept, std::span(files).first(20), DiskRoom{.capacity = 1'000'000, .free = 100}) == 0);
  CHECK(beyond(kUsuallyKept, std::span(files).first(1), full) == 0);
  CHECK(beyond({.most = 1}, std::span(files).first(1), full) == 0);
  CHECK(beyond(kUsuallyKept, {}, full) == 0);
}

TEST_CASE("the limit that makes room is the largest that does, and the newest stays") {
  const std::vector<CheckpointSize> files{{.step = 1, .bytes = 10}, {.step = 2, .bytes = 20}, {.step = 3, .bytes = 30}};
  CHECK(!keep_fewer(files, 50, 50));
  const auto one = keep_fewer(files, 50, 60);
  REQUIRE(one);
  CHECK(one->keep == 2);
  CHECK(one->removed == 1);
  CHECK(one->freed == 10);
  const auto two = keep_fewer(files, 50, 61);
  REQUIRE(two);
  CHECK(two->keep == 1);
  CHECK(two->freed == 30);
  CHECK(!keep_fewer(files, 50, 81));
  CHECK(!keep_fewer({}, 0, 1));
}

TEST_CASE("what is beyond a limit can go before the next save, and checkpoint.json says so") {
  const Folder folder(0);
  for (std::int64_t step = 1; step <= 4; ++step) folder.save(step);
  const CheckpointDirectory few(folder.temporary.path(), {.most = 2});
  CHECK(few.remove_beyond({}) == 2);
  CHECK(few.files() == Steps{3, 4});
  CHECK(few.index()->kept == Steps{3, 4});
  CHECK(few.index()->newest == 4);
  CHECK(few.remove_beyond({}) == 0);
}

TEST_CASE("0 keeps all; a limit that comes later removes all that are beyond it") {
  const Folder folder(0);
  for (std::int64_t step = 1; step <= 25; ++step) folder.save(step);
  CHECK(folder.checkpoints.files().size() == 25);
  const CheckpointDirectory few(folder.temporary.path(), {.most = 1});
  few.add(26, {}, {});
  CHECK(few.files() == Steps{26});
}

TEST_CASE("a save at the step of an existing file replaces it; a file that the user removed is forgotten") {
  const Folder folder;
  folder.save(10);
  folder.save(20);
  put_file(folder.checkpoints.path_of(20), "other bytes");
  folder.save(20, true);
  CHECK(read_file(folder.checkpoints.path_of(20)) == "20");
  CHECK(folder.checkpoints.index()->kept == Steps{10, 20});
  std::filesystem::remove(folder.checkpoints.path_of(10));
  folder.save(30);
  CHECK(folder.checkpoints.index()->kept == Steps{20, 30});
  CHECK(!folder.checkpoints.index()->finished);
  folder.checkpoints.finish({});
  CHECK(folder.checkpoints.index()->finished);
  CHECK(folder.checkpoints.index()->newest == 30);
}

TEST_CASE("which files to resume from") {
  const Folder folder;
  for (const std::int64_t step : {10, 20, 30}) folder.save(step);
  CHECK(pairs(folder.checkpoints.candidates()) == Pairs{{30, true}, {20, true}, {10, true}});
  folder.save_half(40);
  CHECK(pairs(folder.checkpoints.candidates()) == Pairs{{40, false}, {30, true}, {20, true}, {10, true}});
  std::filesystem::remove(folder.checkpoints.path_of(30));  // still listed, so that the user hears of it
  CHECK(pairs(folder.checkpoints.candidates()) == Pairs{{40, false}, {30, true}, {20, true}, {10, true}});
  std::filesystem::remove(folder.temporary / "checkpoint.json");
  CHECK(pairs(folder.checkpoints.candidates()) == Pairs{{40, false}, {20, false}, {10, false}});
}

TEST_CASE("resuming makes a step the newest and sets newer files aside") {
  const Folder folder(9);
  for (const std::int64_t step : {10, 20, 30}) folder.save(step, step == 30);
  SUBCASE("the newest itself: nothing changes") {
    CHECK(folder.checkpoints.resume_at(30, true).empty());
    CHECK(folder.checkpoints.index()->kept == Steps{10, 20, 30});
    CHECK(folder.checkpoints.index()->finished);
  }
  SUBCASE("the newest itself, of a run that is longer now") {
    CHECK(folder.checkpoints.resume_at(30).empty());
    CHECK(folder.checkpoints.index()->kept == Steps{10, 20, 30});
    CHECK(!folder.checkpoints.index()->finished);
  }
  SUBCASE("a file that checkpoint.json did not come to name") {
    folder.save_half(40);
    folder.checkpoints.resume_at(40);
    CHECK(folder.checkpoints.index()->newest == 40);
    CHECK(folder.checkpoints.index()->kept == Steps{10, 20, 30, 40});
    CHECK(!folder.checkpoints.index()->finished);
  }
  SUBCASE("a file that checkpoint.json did not come to name, and that is damaged") {
    folder.save_half(40);
    CHECK(folder.checkpoints.resume_at(30) == std::vector<std::string>{"model.ckpt-40.h5"});
    CHECK(folder.checkpoints.index()->newest == 30);
    CHECK(folder.checkpoints.files() == Steps{10, 20, 30});
    CHECK(read_file(folder.checkpoints.path_of(40) + ".set_aside") == "40");
  }
  SUBCASE("an older one") {
    folder.checkpoints.resume_at(10);
    CHECK(folder.checkpoints.index()->newest == 10);
    CHECK(folder.checkpoints.index()->kept == Steps{10});
    CHECK(folder.names() == std::vector<std::string>{"checkpoint.json", "model.ckpt-10.h5",
                                                     "model.ckpt-20.h5.set_aside", "model.ckpt-30.h5.set_aside"});
    CHECK(pairs(folder.checkpoints.candidates()) == Pairs{{10, true}});
  }
}

TEST_CASE("only names that are ours count, and only our leftovers go") {
  const Folder folder;
  const std::vector<std::string> others = {
      "model.ckpt-.h5",   "model.ckpt-07.h5",  "model.ckpt--1.h5",          "model.ckpt-+1.h5",
      "model.ckpt- 1.h5", "model.ckpt-1.h5x",  "model.ckpt-1e2.h5",         "model.ckpt-99999999999999999999.h5",
      "xmodel.ckpt-1.h5", "model.ckpt-1.hdf5", "model.ckpt-1.h5.set_aside", "model.ckpt-07.h5.tmp",
      "notes.tmp",        "MODEL.CKPT-1.H5"};
  for (const std::string& name : others) put_file(folder.temporary / name, "");
  std::filesystem::create_directory(folder.temporary / "model.ckpt-5.h5");
  put_file(folder.temporary / "model.ckpt-7.h5.tmp", "half");
  put_file(folder.temporary / "checkpoint.json.tmp", "half");
  CHECK(folder.checkpoints.files().empty());
  folder.checkpoints.remove_leftovers();
  CHECK(folder.names().size() == others.size() + 1);
  folder.save_half(9'223'372'036'854'775'807);
  CHECK(folder.checkpoints.files() == Steps{9'223'372'036'854'775'807});
  CheckpointDirectory(folder.temporary / "nowhere").remove_leftovers();
}

TEST_CASE("a folder with nothing but a name that begins like a checkpoint's is not begun anew") {
  for (const char* const name : {"model.ckpt-020.h5", "model.ckpt-99999999999999999999.h5", "model.ckpt-20.H5",
                                 "model.ckpt-20", "model.ckpt-20.index"}) {
    const Folder folder;
    put_file(folder.temporary / name, "");
    check_error(ExitCode::missing_input, {name, "rename it", "model.ckpt-<step>.h5", "--output_dir"},
                [&] { folder.checkpoints.candidates(); });
    folder.save(10);
    CHECK(pairs(folder.checkpoints.candidates()) == Pairs{{10, true}});
  }
  const Folder folder;
  put_file(folder.temporary / "model.ckpt-20.h5.set_aside", "");
  put_file(folder.temporary / "model.ckpt-020.h5.tmp", "");
  put_file(folder.temporary / "MODEL.CKPT-1.H5", "");
  CHECK(folder.checkpoints.candidates().empty());
}

TEST_CASE("a checkpoint.json that is damaged is reported, with the cure") {
  const Folder folder;
  folder.save(10);
  const std::string good = folder.index_text();
  std::vector<std::string> bad = {"",
                                  "null",
                                  "[]",
                                  "{}",
                                  good + "x",
                                  R"({"newest": "model.ckpt-9.h5", "step": 10, "kept": [], "finished": false})",
                                  R"({"newest": "model.ckpt-10.h5", "step": 10.0, "kept": [], "finished": false})",
                                  R"({"newest": "model.ckpt-10.h5", "step": 10, "kept": [10], "finished": false})",
                                  R"({"newest": "model.ckpt-10.h5", "step": 10, "kept": ["x"], "finished": false})",
                                  R"({"newest": "model.ckpt-10.h5", "step": 10, "kept": [], "finished": 0})"};
  for (std::size_t length = 0; length + 2 < good.size(); ++length) bad.push_back(good.substr(0, length));
  for (const std::string& text : bad) {
    CAPTURE(text);
    folder.put_index(text);
    try {
      folder.checkpoints.candidates();
      FAIL_CHECK("it was taken");
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::bad_data);
      CHECK(std::string(error.what()).find("checkpoint.json' is damaged: ") != std::string::npos);
      CHECK(std::string(error.what()).find("Remove it") != std::string::npos);
    }
  }
  folder.put_index(good);
  CHECK(folder.checkpoints.index()->kept == Steps{10});
}

TEST_CASE("who may not write any more leaves all as it was") {
  const Folder folder;
  folder.save(10);
  const auto before = folder.names();
  const auto refuse = [] { throw std::runtime_error("the lease is lost"); };
  CHECK_THROWS_WITH(folder.checkpoints.add(20, {}, refuse), "the lease is lost");
  CHECK_THROWS_WITH(folder.checkpoints.finish(refuse), "the lease is lost");
  CHECK(folder.names() == before);
  CHECK(folder.checkpoints.index()->newest == 10);
}

TEST_CASE("what has the name of a checkpoint and is none is no empty folder") {
  const auto refused = [](const Folder& folder, const std::string& why) {
    check_error(ExitCode::missing_input, {"model.ckpt-30.h5", why, "--output_dir"},
                [&] { folder.checkpoints.candidates(); });
  };
  const auto place = [](const Folder& folder) { return folder.checkpoints.path_of(30); };
  const Folder dangling;
  std::filesystem::create_symlink("/nowhere/model.ckpt-30.h5", place(dangling));
  refused(dangling, "a link to '/nowhere/model.ckpt-30.h5', which is no file");
  const Folder loop;
  std::filesystem::create_symlink(place(loop), place(loop));
  refused(loop, "a link to");
  const Folder directory;
  std::filesystem::create_directory(place(directory));
  refused(directory, "no regular file");
  const Folder pipe;
  REQUIRE(::mkfifo(place(pipe).c_str(), 0600) == 0);
  refused(pipe, "no regular file");

  // A bad link is refused also before a newest checkpoint that can be read; after one it does not matter.
  dangling.save(20);
  refused(dangling, "a link to");
  dangling.save(40);
  CHECK(pairs(dangling.checkpoints.candidates()) == Pairs{{40, true}, {20, true}});
}

TEST_CASE("checkpoint.json is a file of a sensible size") {
  const Folder folder;
  folder.save(20);
  std::filesystem::resize_file(folder.temporary / "checkpoint.json", std::uintmax_t{1} << 40);
  check_error(ExitCode::bad_data, {"checkpoint.json", "remove it"}, [&] { folder.checkpoints.candidates(); });
  for (const char* const target : {"/dev/zero", "/nowhere"}) {
    std::filesystem::remove(folder.temporary / "checkpoint.json");
    std::filesystem::create_symlink(target, folder.temporary / "checkpoint.json");
    check_error(ExitCode::missing_input, {"checkpoint.json", "remove it"}, [&] { folder.checkpoints.candidates(); });
  }
}

}  // namespace lockstep
