#include "launch/tools/translate/python_reader.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <span>
#include <vector>

#include "base/descriptor.h"
#include "base/error.h"

namespace lockstep {
namespace {

constexpr const char* kPythonFile = "lockstep_tf_config.py";

[[noreturn]] void refuse_python(ExitCode code, const std::string& why) { throw Error(code, why, Scope::every_rank); }

// The file in a build folder, which links to python/, or in an installed tree.
std::string path_of_python_file() {
  Dl_info found{};
  LS_CHECK(dladdr(reinterpret_cast<const void*>(&read_with_python), &found) != 0, "the loader does not know us");
  const std::filesystem::path folder = std::filesystem::absolute(found.dli_fname).parent_path();
  std::string looked_in;
  for (const char* python : {"../python", LOCKSTEP_PYTHON_FROM_LIB}) {
    const std::filesystem::path file = (folder / python / kPythonFile).lexically_normal();
    std::error_code unknown;
    if (std::filesystem::exists(file, unknown)) return file.string();
    looked_in += (looked_in.empty() ? "" : " and ") + file.parent_path().string();
  }
  refuse_python(ExitCode::missing_input,
                fmt::format("there is no {} in {}; install Lockstep whole: cmake --install", kPythonFile, looked_in));
}

// A file without a name, so that neither process waits for a pipe.
Descriptor file_in_memory(std::string_view text) {
  Descriptor file(::memfd_create("lockstep", MFD_CLOEXEC));
  const int error = file.is_open() ? write_fully(file.number(), std::as_bytes(std::span(text)), 0).error : errno;
  if (error != 0) refuse_python(ExitCode::internal, "cannot hand on TF_CONFIG: " + system_message(error));
  return file;
}

std::string whole_text(const Descriptor& file) {
  const off_t bytes = ::lseek(file.number(), 0, SEEK_END);
  std::string text(bytes < 0 ? 0 : static_cast<std::size_t>(bytes), '\0');
  text.resize(read_fully(file.number(), std::as_writable_bytes(std::span(text)), 0).bytes);
  return text;
}

// Returns waitpid()'s status of python3. files: its standard input, output and error.
int run_python(std::vector<std::string> arguments, std::span<const Descriptor, 3> files) {
  arguments.insert(arguments.begin(), "python3");
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions{};
  ::posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < 3; ++i) ::posix_spawn_file_actions_adddup2(&actions, files[i].number(), i);
  pid_t process = -1;
  const int error = ::posix_spawnp(&process, argv.front(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    refuse_python(ExitCode::missing_input,
                  fmt::format("python3 cannot be started: {}; install Python 3.9 or newer (Debian: apt-get install "
                              "python3), or take --reader=lockstep, which needs none",
                              system_message(error)));
  }
  int status = 0;
  LS_CHECK(uninterrupted([&] { return ::waitpid(process, &status, 0); }) == process, "python3 cannot be waited for");
  return status;
}

}  // namespace

PythonReading read_with_python(const std::string& reader, const std::optional<std::string>& tf_config) {
  // Isolated: neither Python's environment variables nor the working folder change what it does.
  std::vector<std::string> arguments = {"-I", "-S", path_of_python_file(), reader};
  if (tf_config) arguments.emplace_back("-");
  const Descriptor files[] = {file_in_memory(tf_config.value_or("")), file_in_memory(""), file_in_memory("")};
  const int status = run_python(arguments, files);

  std::string said = whole_text(files[2]);
  if (said.ends_with('\n')) said.pop_back();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {.json = whole_text(files[1]), .refusal = ""};
  if (WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(ExitCode::configuration)) {
    return {.json = whole_text(files[1]), .refusal = std::move(said)};
  }
  // The last line of a traceback says what is wrong.
  refuse_python(ExitCode::internal, fmt::format("{} has failed; it needs Python 3.9 or newer: {}", arguments[2],
                                                said.substr(said.rfind('\n') + 1)));
}

}  // namespace lockstep
