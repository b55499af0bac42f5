#include "checkpoint/best_folder.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>

#include "base/error.h"
#include "base/input_file.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

// An output_dir whose checkpoint files are plain texts.
struct OutputDir {
  std::string checkpoint(std::int64_t step, const std::string& text) const {
    const std::string path = temporary / ("model.ckpt-" + std::to_string(step) + ".h5");
    fs::remove(path);
    std::ofstream(path) << text;
    return path;
  }
  void put(std::int64_t step, const std::string& text, double value = 0.5) const {
    best.put(checkpoint(step, text), {.metric = "accuracy", .value = value, .step = step, .split = "dev"}, {});
  }
  Names names() const {
    Names all;
    for (const auto& entry : fs::directory_iterator(best_path)) all.insert(entry.path().filename());
    return all;
  }
  std::string text_of(const std::string& name) const { return read_file(best_path + "/" + name); }

  TemporaryFolder temporary;
  std::string best_path = temporary / "best";
  BestFolder best{best_path};
};

}  // namespace

TEST_CASE("the best checkpoint has a note, outlives the file it was, and is replaced as a whole") {
  const OutputDir folder;
  CHECK(!folder.best.note());
  folder.put(120, "of 120", 0.1234567890123456);
  CHECK(folder.names() == Names{"best.json", "model.ckpt-120.h5"});
  fs::remove(folder.temporary / "model.ckpt-120.h5");
  CHECK(folder.text_of("model.ckpt-120.h5") == "of 120");
  const auto note = folder.best.note();
  REQUIRE(note);
  CHECK(note->metric == "accuracy");
  CHECK(note->value == 0.1234567890123456);
  CHECK(note->step == 120);
  CHECK(note->split == "dev");

  folder.put(1000, "of 1000");
  CHECK(folder.names() == Names{"best.json", "model.ckpt-1000.h5"});
  CHECK(folder.best.note()->step == 1000);
  folder.put(1000, "of 1000, again");
  CHECK(folder.names() == Names{"best.json", "model.ckpt-1000.h5"});
  CHECK(folder.text_of("model.ckpt-1000.h5") == "of 1000, again");
}

TEST_CASE("the very same file can be put again") {
  const OutputDir folder;
  folder.put(7, "of 7");
  const BestNote note{.metric = "loss", .value = 1, .step = 7, .split = "test"};
  folder.best.put(folder.temporary / "model.ckpt-7.h5", note, {});
  CHECK(folder.names() == Names{"best.json", "model.ckpt-7.h5"});
  CHECK(folder.best.note()->metric == "loss");
}

TEST_CASE("a checkpoint that is a link is the file it leads to") {
  const OutputDir folder;
  std::ofstream(folder.temporary / "elsewhere") << "of 7";
  fs::create_symlink(folder.temporary / "elsewhere", folder.temporary / "model.ckpt-7.h5");
  folder.best.put(folder.temporary / "model.ckpt-7.h5", {.metric = "loss", .step = 7, .split = "dev"}, {});
  fs::remove(folder.temporary / "elsewhere");
  CHECK(folder.text_of("model.ckpt-7.h5") == "of 7");
}

TEST_CASE("wherever it is killed, the note names a whole file, and the next one clears up") {
  const OutputDir folder;
  folder.put(1, "of 1");
  for (int renames = 0; renames < 2; ++renames) {
    int before = 0;
    const auto die = [&] {
      if (before++ == renames) throw std::runtime_error("killed");
    };
    const std::string checkpoint = folder.checkpoint(2, "of 2");
    CHECK_THROWS_WITH(folder.best.put(checkpoint, {.metric = "loss", .step = 2, .split = "dev"}, die), "killed");
    CHECK(folder.best.note()->step == 1);
    CHECK(folder.text_of("model.ckpt-1.h5") == "of 1");
  }
  folder.put(3, "of 3");
  CHECK(folder.names() == Names{"best.json", "model.ckpt-3.h5"});
}

TEST_CASE("a best step that the run has yet to make is set aside") {
  const OutputDir folder;
  CHECK(!folder.best.resume_at(0));
  folder.put(120, "of 120");
  CHECK(!folder.best.resume_at(120));
  CHECK(folder.best.note());
  CHECK(folder.best.resume_at(119));
  CHECK(!folder.best.note());
  CHECK(folder.names() == Names{"model.ckpt-120.h5.set_aside"});
  folder.put(120, "of 120, again");
  CHECK(folder.names() == Names{"best.json", "model.ckpt-120.h5", "model.ckpt-120.h5.set_aside"});
  fs::remove(folder.best_path + "/model.ckpt-120.h5");
  CHECK(folder.best.resume_at(0));  // its file has already been removed
}

TEST_CASE("a note that is damaged is refused with the cure, a folder that cannot be made by name") {
  const OutputDir folder;
  folder.put(5, "of 5");
  for (const char* text : {"", "{", R"({"metric": "loss", "value": 1, "step": "5", "split": "dev"})"}) {
    std::ofstream(folder.best_path + "/best.json") << text;
    check_error(ExitCode::bad_data, {"best.json' is damaged", "move the folder"}, [&] { (void)folder.best.note(); });
  }
  fs::remove_all(folder.best_path);
  std::ofstream(folder.best_path) << "a file";
  check_error(ExitCode::cannot_write, {"cannot make the folder", "/best'"}, [&] { folder.put(6, "of 6"); });
}

}  // namespace lockstep
