#include "collective/nccl_log.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

// Without the variables of NCCL's log while it exists.
class Surroundings {
 public:
  Surroundings() { forget(); }
  ~Surroundings() { forget(); }
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;

 private:
  static void forget() {
    for (const std::string& variable : variables_with_prefix("NCCL_DEBUG")) {
      ::unsetenv(variable.substr(0, variable.find('=')).c_str());
    }
  }
};

const std::vector<std::string> kNoFiles;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// As NCCL does: its first message opens the file, and each line is written at once.
struct Library {
  std::ofstream file{variable("NCCL_DEBUG_FILE")};
  bool say(const char* line) { return static_cast<bool>(file << line << std::flush); }
};

}  // namespace

TEST_CASE("nccl's log: what the library writes, until it has served") {
  const Surroundings none;
  std::optional<NcclLog> log(kNoFiles);
  CHECK(variable("NCCL_DEBUG") == "INFO");
  CHECK(log->text().empty());
  Library nccl;
  CHECK(nccl.say("one\n"));
  CHECK(nccl.say("two\n"));
  CHECK(log->text() == "one\ntwo\n");
  log.reset();
  CHECK(!nccl.say("three\n"));
  CHECK(variable("NCCL_DEBUG").empty());
  CHECK(variable("NCCL_DEBUG_FILE").empty());
}

TEST_CASE("nccl's log: one for which the user has asked is left alone") {
  const Surroundings none;
  for (const char* const name : {"NCCL_DEBUG", "NCCL_DEBUG_FILE"}) {
    ::setenv(name, "x", 1);
    {
      const NcclLog log(kNoFiles);
      CHECK(log.text().empty());
      CHECK(variable(name) == "x");
      CHECK(variable("NCCL_DEBUG_SUBSYS").empty());
    }
    CHECK(variable(name) == "x");
    ::unsetenv(name);
  }
}

TEST_CASE("nccl's log: one for which a configuration file asks is left alone") {
  const Surroundings none;
  const TemporaryFolder folder;
  const std::vector<std::string> files{folder / "none.conf", folder / "nccl.conf"};
  std::ofstream(files.back()) << "NCCL_DEBUG=WARN\n" << std::flush;
  {
    const NcclLog log(files);
    CHECK(variable("NCCL_DEBUG").empty());
  }
  std::ofstream(files.back()) << "NCCL_IB_HCA=mlx5\n" << std::flush;
  const NcclLog log(files);
  CHECK(variable("NCCL_DEBUG") == "INFO");
}

TEST_CASE("nccl's log: the files that NCCL reads") {
  ::setenv("NCCL_CONF_FILE", "/a/nccl.conf", 1);
  CHECK(nccl_configuration_files() == std::vector<std::string>{"/a/nccl.conf", "/etc/nccl.conf"});
  ::setenv("NCCL_CONF_FILE", "", 1);
  CHECK(nccl_configuration_files().front().ends_with("/.nccl.conf"));
  ::unsetenv("NCCL_CONF_FILE");
}

}  // namespace lockstep
