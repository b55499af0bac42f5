#include "data/arrays/hdf5_guard.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>

#include "base/error.h"
#include "base/input_file.h"
#include "data/hdf5_files.h"
#include "data/problems.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

// Exit status and standard error of a child process.
struct End {
  int status;
  std::string said;
};

End end_of(const std::function<void()>& work) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const struct rlimit no_core {};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::alarm(600);  // ends it in any case: on a busy machine a second of processor time may take minutes
    if (std::freopen((folder / "said").c_str(), "w", stderr) == nullptr) ::_exit(1);
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {status, read_file(folder / "said")};
}

void check_end(const End& end, const std::string& file, const std::string& why) {
  CAPTURE(end.said);
  CHECK(WIFEXITED(end.status));
  CHECK(WEXITSTATUS(end.status) == static_cast<int>(ExitCode::bad_data));
  CHECK(end.said.find("'" + file + "'") != std::string::npos);
  CHECK(end.said.find(why) != std::string::npos);
  CHECK(end.said.back() == '\n');
}

// Recurses until the stack overflows, as a library does on a tree that contains itself. The depth limit is never
// reached.
int deeper(int depth) {
  volatile char frame[1024] = {};
  frame[0] = static_cast<char>(depth);
  if (depth == 1 << 30) return 0;
  return deeper(depth + 1) + frame[0];
}

// Spins for ever. Calls usleep() now and then, because the thread sanitizer delivers signals only in calls that it
// knows.
void use_up_time() {
  volatile int spins = 0;
  for (const volatile bool yes = true; yes;) {
    spins = spins + 1;
    if (spins % (1 << 20) != 0) continue;
    spins = 0;
    ::usleep(1);
  }
}

// Turns the single tree of chunks of a file's data set into its own child, one level higher: the format that h5py
// writes by default keeps chunks in trees of nodes "TREE", type 1, with an address after the key of each entry.
void make_trees_cyclic(const std::string& path) {
  constexpr std::size_t kType = 4;
  constexpr std::size_t kLevel = 5;
  constexpr std::size_t kEntries = 24;              // after the addresses of both siblings
  constexpr std::size_t kKeyOfTwoAxes = 8 + 8 * 3;  // size and filters, then offsets: two axes, element
  std::string bytes = read_file(path);
  int made = 0;
  for (std::size_t at = bytes.find("TREE"); at != std::string::npos; at = bytes.find("TREE", at + 1)) {
    if (bytes[at + kType] != 1) continue;
    bytes[at + kLevel] = 1;
    for (std::size_t i = 0; i < 8; ++i) {
      bytes[at + kEntries + kKeyOfTwoAxes + i] = static_cast<char>((at >> (8 * i)) & 0xFF);
    }
    ++made;
  }
  REQUIRE(made == 1);
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("a crash within a guard ends with 65 and names the file") {
  check_end(end_of([] {
              const Hdf5Guard guard("a/file.h5");
              std::raise(SIGSEGV);
            }),
            "a/file.h5", "crashed");
  check_end(end_of([] {
              const Hdf5Guard guard("a/file.h5", Hdf5Guard::kNoLimit);
              ::_exit(deeper(0));
            }),
            "a/file.h5", "crashed");
}

TEST_CASE("work without an end within a guard ends with 65 and names the file") {
  check_end(end_of([] {
              const Hdf5Guard guard("file\n.h5", 1);
              const Hdf5Guard within("another", Hdf5Guard::kNoLimit);
              use_up_time();
            }),
            "file\\n.h5", "after 1 s");
}

TEST_CASE("after a guard, a limit is over and a crash is somebody else's") {
  const End end = end_of([] {
    std::signal(SIGSEGV, [](int) { ::_exit(7); });
    { const Hdf5Guard guard("file.h5", 1); }
    std::raise(SIGSEGV);
  });
  CHECK(WIFEXITED(end.status));
  CHECK(WEXITSTATUS(end.status) == 7);
}

TEST_CASE("a data file whose tree of chunks contains itself is refused") {
  const TemporaryFolder folder;
  const std::string path = folder / "train.h5";
  {
    Hdf5Writer file(path);
    file.array("inputs", {8, 6}, std::vector<float>(48), {.chunk = {4, 6}, .gzip = true});
    file.array("targets", {8}, std::vector<std::int32_t>(8));
  }
  make_trees_cyclic(path);
  check_end(end_of([&] { make_arrays({.data_dir = folder.path()}); }), path, "crashed");
}

}  // namespace lockstep
