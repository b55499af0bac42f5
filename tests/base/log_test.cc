#include "base/log.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/terminal.h"
#include "support/captured_stderr.h"
#include "support/pseudo_terminal.h"
#include "support/temporary_folder.h"

using lockstep::Log;
using lockstep::LogLevel;
using lockstep::stderr_of;
using lockstep::TemporaryFolder;

namespace {

std::string contents(const std::string& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Replaces the time in each prefix: "[ 12.041s r0/1 I] x" becomes "[TIME r0/1 I] x". Leaves prefixes of another form
// unchanged.
std::string without_times(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t end = line.find("s r");
    const bool form = line.size() > 9 && line.front() == '[' && end >= 8 && line[end - 4] == '.' &&
                      line.find_first_not_of(" .0123456789", 1) == end;
    result += (form ? "[TIME" + line.substr(end + 1) : line) + "\n";
  }
  return result;
}

void write_each_level(Log& log) {
  log.debug("a {}", 1);
  log.info("b {}", 2);
  log.result("r {}", 2);
  log.warning("c {}", 3);
  log.write(LogLevel::error, "d");
}

}  // namespace

TEST_CASE("log: the prefix has time, rank, world and level") {
  const std::string text = stderr_of([] { Log(3, 16, false).write(LogLevel::warning, "disk is slow"); });
  CHECK(without_times(text) == "[TIME r3/16 W] disk is slow\n");
}

TEST_CASE("log: the chief tells info, the others and a quiet chief results, too") {
  const auto letters = [](int rank, bool quiet) {
    const std::string text = stderr_of([&] {
      Log log(rank, 2, quiet);
      write_each_level(log);
    });
    std::string found;
    for (std::size_t at = text.find("] "); at != std::string::npos; at = text.find("] ", at + 1)) found += text[at - 1];
    return found;
  };
  CHECK(letters(0, false) == "IIWE");
  CHECK(letters(0, true) == "IWE");
  CHECK(letters(1, false) == "WE");
}

TEST_CASE("log: a file gets every level and is appended to") {
  const TemporaryFolder folder;
  const auto path = folder / "rank-0001.log";
  for (int run = 0; run < 2; ++run) {
    stderr_of([&] {
      Log log(1, 2, true);
      log.open_file(path);
      write_each_level(log);
    });
  }
  const std::string text = contents(path);
  CHECK(std::count(text.begin(), text.end(), '\n') == 10);
  CHECK(text.find(" r1/2 D] a 1\n") != std::string::npos);
}

TEST_CASE("log: each line of a text has the prefix, and no empty line follows") {
  const std::string text = stderr_of([] { Log(0, 1, false).info("one\ntwo\n"); });
  CHECK(without_times(text) == "[TIME r0/1 I] one\n[TIME r0/1 I] two\n");
}

TEST_CASE("log: of a text that is far too long the beginning and the end are written, at every level") {
  const std::string text = stderr_of([] { Log(0, 1, false).info("begin{}end", std::string(1 << 20, 'x')); });
  CHECK(text.size() < lockstep::kMaxLogBytes + 200);
  CHECK(text.find("] beginxxx") != std::string::npos);
  CHECK(text.find("bytes left out") != std::string::npos);
  CHECK(text.ends_with("xxxend\n"));
}

TEST_CASE("log: control characters never reach the terminal, line breaks do") {
  const std::string text = stderr_of([] { Log(0, 1, false).info("{} MB in {}\nnext", 3, "n\x1b[31mred\r"); });
  CHECK(without_times(text) == "[TIME r0/1 I] 3 MB in n\\x1b[31mred\\r\n[TIME r0/1 I] next\n");
}

TEST_CASE("log: a file that cannot be opened is an error that says where and why") {
  Log log(0, 1, false);
  const TemporaryFolder folder;
  const std::string path = folder / "absent/rank.log";
  try {
    log.open_file(path);
    FAIL("opened a file in a folder that is not there");
  } catch (const lockstep::Error& error) {
    CHECK(error.code() == lockstep::ExitCode::cannot_write);
    CHECK(std::string(error.what()).find(path + ": No such file or directory") != std::string::npos);
  }
}

TEST_CASE("log: a disk that fills up ends the file, says so once, and the run goes on") {
  const std::string text = stderr_of([] {
    Log log(1, 2, false);
    log.open_file("/dev/full");
    log.info("lost");
    log.info("lost as well");
    log.warning("still heard");
  });
  CHECK(without_times(text) ==
        "[TIME r1/2 I] this rank's log file ends here, it cannot be written: No space left on device\n"
        "[TIME r1/2 W] still heard\n");
}

namespace {

std::unique_ptr<lockstep::Terminal> terminal_of(const lockstep::PseudoTerminal& window, bool colours = false) {
  return std::make_unique<lockstep::Terminal>(window.open(), colours);
}

}  // namespace

TEST_CASE("log: a status stays below the lines, and leaves nothing behind") {
  const lockstep::PseudoTerminal window(80);
  const std::string text = stderr_of([&] {
    Log log(0, 1, false);
    log.open_terminal(terminal_of(window));
    CHECK(log.status_space().columns == 79);
    log.status("one");
    log.info("line");
    log.status("two");
    log.status("");
    log.status("");  // there is nothing to remove
    log.info("last");
  });
  CHECK(text.starts_with("\rone\x1b[J\r\r\x1b[J["));
  CHECK(text.find("] line\none\r\rtwo\x1b[J\r\r\x1b[J[") != std::string::npos);
  CHECK(text.ends_with("] last\n"));
}

TEST_CASE("log: an error takes the status away for good") {
  const lockstep::PseudoTerminal window(80);
  const std::string text = stderr_of([&] {
    Log log(0, 1, false);
    log.open_terminal(terminal_of(window));
    log.status("bar");
    log.write(LogLevel::error, "it broke");
    log.status("bar");
  });
  CHECK(text.starts_with("\rbar\x1b[J\r\r\x1b[J["));
  CHECK(text.ends_with(" E] it broke\n"));
}

TEST_CASE("log: a status that a narrower window would wrap is not drawn again") {
  lockstep::PseudoTerminal window(80);
  const std::string text = stderr_of([&] {
    Log log(0, 1, false);
    log.open_terminal(terminal_of(window));
    log.status("bar");
    window.resize(40);
    log.info("line");
    CHECK(log.status_space().columns == 39);
    log.status("new");
  });
  CHECK(text.ends_with("] line\n\rnew\x1b[J\r"));
}

TEST_CASE("log: there is no status without a terminal, on other ranks, or if quiet") {
  const lockstep::PseudoTerminal window(80);
  const auto written = [&](int rank, bool quiet, bool has_terminal) {
    return stderr_of([&] {
      Log log(rank, 2, quiet);
      if (has_terminal) log.open_terminal(terminal_of(window));
      CHECK(log.status_space().columns == 0);
      log.status("bar");
    });
  };
  CHECK(written(0, false, false).empty());
  CHECK(written(1, false, true).empty());
  CHECK(written(0, true, true).empty());
}

TEST_CASE("log: colours are for warnings and errors on a terminal that has them, never for the file") {
  const lockstep::PseudoTerminal window(80);
  const TemporaryFolder folder;
  const auto written = [&](bool colours) {
    return stderr_of([&] {
      Log log(0, 1, true);
      log.open_file(folder / "log");
      log.open_terminal(terminal_of(window, colours));
      log.warning("two\nlines");
      log.write(LogLevel::error, "broken");
    });
  };
  const std::string text = written(true);
  CHECK(text.starts_with("\x1b[33m["));
  CHECK(text.find("W] lines\x1b[0m\n\x1b[31m[") != std::string::npos);
  CHECK(text.ends_with("E] broken\x1b[0m\n"));
  CHECK(written(false).find('\x1b') == std::string::npos);
  CHECK(contents(folder / "log").find('\x1b') == std::string::npos);
}

TEST_CASE("log: lines of several threads do not mix") {
  constexpr int kThreads = 4;
  constexpr int kLines = 200;
  const std::string text = stderr_of([] {
    Log log(0, 1, false);
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&log, thread] {
        for (int line = 0; line < kLines; ++line) log.info("{}", std::string(100, static_cast<char>('a' + thread)));
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  std::istringstream lines(text);
  int whole = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string tail = line.substr(line.find("] ") + 2);
    whole += tail.size() == 100 && tail == std::string(100, tail.front()) ? 1 : 0;
  }
  CHECK(whole == kThreads * kLines);
}
