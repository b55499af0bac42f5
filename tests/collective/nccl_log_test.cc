#include "collective/nccl_log.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "support/temporary_folder.h"

namespace lockstep {
namespace {

// Without NCCL's variables, and with a home of its own, while it exists.
class Surroundings {
 public:
  explicit Surroundings(const char* conf_file = "") {
    forget();
    ::setenv("NCCL_CONF_FILE", conf_file, 1);
  }
  ~Surroundings() {
    forget();
    ::unsetenv("NCCL_CONF_FILE");
  }
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;

 private:
  static void forget() {
    for (const char* const name : {"NCCL_DEBUG", "NCCL_DEBUG_SUBSYS", "NCCL_DEBUG_FILE"}) ::unsetenv(name);
  }
};

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
  std::optional<NcclLog> log(std::in_place);
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
      const NcclLog log;
      CHECK(log.text().empty());
      CHECK(variable(name) == "x");
      CHECK(variable("NCCL_DEBUG_SUBSYS").empty());
    }
    CHECK(variable(name) == "x");
    ::unsetenv(name);
  }
}

TEST_CASE("nccl's log: one for which a configuration file asks is left alone") {
  const TemporaryFolder folder;
  const std::string file = folder / "nccl.conf";
  std::ofstream(file) << "NCCL_IB_HCA=mlx5\n" << std::flush;
  {
    const Surroundings other(file.c_str());
    const NcclLog log;
    CHECK(variable("NCCL_DEBUG") == "INFO");
  }
  std::ofstream(file) << "NCCL_DEBUG=WARN\n" << std::flush;
  const Surroundings asking(file.c_str());
  const NcclLog log;
  CHECK(variable("NCCL_DEBUG").empty());
}

}  // namespace lockstep
