// Hostile checkpoints against the program itself:
//
//   hostile_train EVERY SECONDS COMMAND...     COMMAND: train, or mpirun -np 2 train
//
// Makes a checkpoint with COMMAND, and runs COMMAND on every EVERYth of its hostile forms. Each has to end within
// SECONDS plus the time of a good start, with 65, 66 or 78, a message that names the file, and no process above 200 MB.
// Prints the forms that failed, and a summary; ends with 1 if there are any. "hostile_train 1 2 COMMAND" passes on an
// idle machine. tests/hostile/hostile_checkpoints_test.cc runs all forms, in one process.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/input_file.h"
#include "hostile/hostile_forms.h"

namespace {

using namespace lockstep;  // NOLINT(google-build-using-namespace): a program of one file

using Words = std::vector<std::string>;

constexpr const char* kName = "model.ckpt-6.h5";
constexpr long kMaxMegabytes = 200;

struct End {
  int code = 0;
  double seconds = 0;
  long megabytes = 0;  // of the largest process
  std::string said{};
};

// Runs a command with its output in a file.
End run(const Words& words, const std::string& log) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const Stopwatch watch;
  const pid_t child = ::fork();
  if (child == 0) {
    ::setsid();
    ::alarm(60);  // kept over exec: ends it in any case
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  int status = 0;
  struct rusage used {};
  ::wait4(child, &status, 0, &used);
  ::kill(-child, SIGKILL);  // kills remaining processes, if any
  return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .seconds = watch.seconds(),
          .megabytes = used.ru_maxrss / 1024,
          .said = read_file(log)};
}

Words with_flags(Words command, const std::string& folder, int steps) {
  for (const std::string& flag :
       {std::string("--model=linear"), std::string("--hparams=optimizer=adam"), std::string("--ema=0.9"),
        std::string("--global_batch_size=40"), "--train_steps=" + std::to_string(steps), "--output_dir=" + folder}) {
    command.push_back(flag);
  }
  return command;
}

// Returns why an end is wrong; empty if it is right.
std::string wrong(const End& end, double most_seconds) {
  if (end.code != 65 && end.code != 66 && end.code != 78) return fmt::format("code {}", end.code);
  if (end.said.find(kName) == std::string::npos) return "the file is not named";
  if (end.said.find('\x1b') != std::string::npos) return "an escape was printed";
  if (end.seconds > most_seconds) return fmt::format("{:.1f} s", end.seconds);
  if (end.megabytes > kMaxMegabytes) return fmt::format("{} MB", end.megabytes);
  return {};
}

int run_all(std::size_t every, double seconds, const Words& command, const std::string& folder) {
  const End first = run(with_flags(command, folder + "/first", 6), folder + "/log");
  if (first.code != 0) {
    fmt::print("the good run ended with {}\n{}", first.code, first.said);
    return 1;
  }
  const std::string good = folder + "/first/" + kName;
  const HostileSurroundings around{.good_copy = folder + "/copy.h5", .pipe = folder + "/pipe"};
  std::filesystem::copy_file(good, around.good_copy);
  ::mkfifo(around.pipe.c_str(), 0600);

  const std::vector<HostileForm> forms = hostile_forms(good, around);
  int failed = 0;
  int tried = 0;
  double slowest = 0;
  long largest = 0;
  for (std::size_t i = 0; i < forms.size(); i += every) {
    const std::string place = folder + "/run";
    std::filesystem::remove_all(place);
    std::filesystem::create_directory(place);
    make_hostile(good, forms[i], place + "/" + kName);
    const End end = run(with_flags(command, place, 8), folder + "/log");
    ++tried;
    slowest = std::max(slowest, end.seconds);
    largest = std::max(largest, end.megabytes);
    const std::string why = wrong(end, first.seconds + seconds);
    if (why.empty()) continue;
    ++failed;
    fmt::print("FAILED: {}: {}\n{}\n", forms[i].name, why, end.said.substr(0, 2000));
  }
  fmt::print(
      "{} of {} forms tried, {} not refused as they should be; slowest {:.2f} s (a good run {:.2f} s), largest "
      "process {} MB\n",
      tried, forms.size(), failed, slowest, first.seconds, largest);
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count < 4 || std::atoi(words[1]) < 1) return 64;
  std::string pattern = (std::filesystem::temp_directory_path() / "lockstep_hostile_XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return 74;
  const auto every = static_cast<std::size_t>(std::atoi(words[1]));
  const int code = run_all(every, std::atof(words[2]), Words(words + 3, words + count), pattern);
  std::filesystem::remove_all(pattern);
  return code;
}
