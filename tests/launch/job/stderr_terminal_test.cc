#include "launch/job/stderr_terminal.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <map>

#include "support/fake_environment.h"
#include "support/pseudo_terminal.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

using Variables = std::map<std::string, std::string>;
const Variables kTerm = {{"TERM", "xterm"}};

// A fake folder in /proc for a process of that name with that file as standard error.
class FakeParent {
 public:
  FakeParent(const std::string& name, const std::string& error_output) {
    std::filesystem::create_symlink("/usr/bin/" + name, folder_ / "exe");
    std::filesystem::create_directory(folder_ / "fd");
    std::filesystem::create_symlink(error_output, folder_ / "fd/2");
  }
  std::string path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    from = Descriptor(ends[0]);
    into = Descriptor(ends[1]);
  }
  Descriptor from;
  Descriptor into;
};

TEST_CASE("a process started by hand has a terminal if its standard error is one") {
  const PseudoTerminal window(100);
  const Descriptor shown = window.open();
  const auto terminal = stderr_terminal(shown.number(), Launcher::none, fake_environment(kTerm), "/absent");
  REQUIRE(terminal);
  CHECK(terminal->columns() == 100);
  CHECK(terminal->colours());
  const Pipe pipe;
  CHECK(!stderr_terminal(pipe.into.number(), Launcher::none, fake_environment(kTerm), "/absent"));
  CHECK(!stderr_terminal(-1, Launcher::none, fake_environment(kTerm), "/absent"));
}

TEST_CASE("a rank has the terminal of the mpirun that passes its output on") {
  const PseudoTerminal window(100);
  const Pipe pipe;
  const FakeParent mpirun("orterun", window.path());
  const auto terminal = stderr_terminal(pipe.into.number(), Launcher::mpirun, fake_environment(kTerm), mpirun.path());
  REQUIRE(terminal);
  CHECK(terminal->columns() == 100);

  const auto none_below = [&](const std::string& name, const std::string& error_output) {
    const FakeParent parent(name, error_output);
    return !stderr_terminal(pipe.into.number(), Launcher::mpirun, fake_environment(kTerm), parent.path());
  };
  CHECK(none_below("orterun", "/dev/null"));
  CHECK(none_below("orterun", "/proc/self/exe"));
  CHECK(none_below("orterun", "/absent"));
  CHECK(none_below("orted", window.path()));    // its mpirun is on another host
  CHECK(none_below("prterun", window.path()));  // Open MPI 5's, whose options are not visible
  CHECK(none_below("sh", window.path()));       // a wrapper, which may have redirected the output
  CHECK(!stderr_terminal(pipe.into.number(), Launcher::mpirun, fake_environment(kTerm), "/absent"));
}

TEST_CASE("a rank whose output went to a file has no terminal, nor has one whose mpirun changes the lines") {
  const PseudoTerminal window(100);
  const FakeParent mpirun("orterun", window.path());
  const TemporaryFolder folder;
  const Descriptor file = open_descriptor(folder / "log", O_WRONLY | O_CREAT, 0600);
  CHECK(!stderr_terminal(file.number(), Launcher::mpirun, fake_environment(kTerm), mpirun.path()));

  const Descriptor merged = window.open();  // merged with the standard output, which may be redirected
  CHECK(!stderr_terminal(merged.number(), Launcher::mpirun, fake_environment(kTerm), mpirun.path()));

  const Pipe pipe;
  for (const char* const option : {"tag_output", "timestamp_output", "xml_output", "output_filename"}) {
    Variables variables = kTerm;
    variables.emplace(std::string("OMPI_MCA_orte_") + option, "1");
    CHECK(!stderr_terminal(pipe.into.number(), Launcher::mpirun, fake_environment(variables), mpirun.path()));
  }
}

TEST_CASE("TERM and NO_COLOR are heeded") {
  const PseudoTerminal window(100);
  const Descriptor shown = window.open();
  const auto found = [&](const Variables& variables) {
    return stderr_terminal(shown.number(), Launcher::none, fake_environment(variables), "/absent");
  };
  CHECK(!found({}));
  CHECK(!found({{"TERM", "dumb"}}));
  REQUIRE(found({{"TERM", "xterm"}, {"NO_COLOR", "1"}}));
  CHECK(!found({{"TERM", "xterm"}, {"NO_COLOR", "1"}})->colours());
  CHECK(found({{"TERM", "xterm"}, {"NO_COLOR", ""}})->colours());
}

TEST_CASE("an error without a log is red where a terminal shows colours, and plain elsewhere") {
  const PseudoTerminal window(100);
  const Terminal colourful(window.open(), true);
  const Terminal plain(window.open(), false);
  CHECK(error_line(&colourful, "no such flag") == "\x1b[31mno such flag\x1b[0m\n");
  CHECK(error_line(&plain, "no such flag") == "no such flag\n");
  CHECK(error_line(nullptr, "no such flag") == "no such flag\n");
}

}  // namespace
}  // namespace lockstep
