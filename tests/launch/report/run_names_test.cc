#include "launch/report/run_names.h"

#include <doctest/doctest.h>

#include <filesystem>

namespace lockstep {
namespace {

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a run is called what its folder is called") {
  CHECK(run_names(Names{"../RUN_LM"}) == Names{"RUN_LM"});
  CHECK(run_names(Names{"/a/b/", "c/./d/..//e", "f"}) == Names{"b", "e", "f"});
  CHECK(run_names(Names{"."}) == Names{std::filesystem::current_path().filename().string()});
  CHECK(run_names(Names{"/"}) == Names{"/"});
  CHECK(run_names(Names{"a/\x1b[2J"}) == Names{"\\x1b[2J"});
}

TEST_CASE("folders of one name keep their paths") {
  CHECK(run_names(Names{"a/run", "b/run", "c/other"}) == Names{"a/run", "b/run", "other"});
  CHECK(run_names(Names{"run", "run"}) == Names{"run", "run"});
}

}  // namespace lockstep
