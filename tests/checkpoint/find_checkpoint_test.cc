#include "checkpoint/find_checkpoint.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "checkpoint_states.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"

namespace lockstep {

TEST_CASE("a path names a file, or a folder's newest") {
  const TemporaryFolder folder;
  check_error(ExitCode::missing_input, {folder.path(), "there is no checkpoint", "model.ckpt-<step>.h5"},
              [&] { find_checkpoint(folder.path()); });
  put_file(folder / "model.ckpt-9.h5", "");
  put_file(folder / "model.ckpt-10.h5", "");
  put_file(folder / "model.ckpt-11.h5.tmp", "");
  CHECK(find_checkpoint(folder.path()) == folder / "model.ckpt-10.h5");
  CHECK(find_checkpoint(folder / "model.ckpt-9.h5") == folder / "model.ckpt-9.h5");
  CHECK(find_checkpoint(folder / "model.ckpt-9") == folder / "model.ckpt-9.h5");  // the name as tensor2tensor gives it
  check_error(ExitCode::missing_input, {"there is no checkpoint", folder / "nothing.h5"},
              [&] { find_checkpoint(folder / "nothing.h5"); });
}

TEST_CASE("the newest of a folder is no file that is not there") {
  const TemporaryFolder folder;
  put_file(folder / "model.ckpt-9.h5", "");
  std::filesystem::create_symlink(folder / "gone", folder / "model.ckpt-10.h5");
  check_error(ExitCode::missing_input, {"model.ckpt-10.h5", "mount"}, [&] { find_checkpoint(folder.path()); });
}

}  // namespace lockstep
