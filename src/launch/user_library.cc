#include "launch/user_library.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "base/input_file.h"
#include "base/sha256.h"
#include "launch/user_library_entries.h"

namespace lockstep {
namespace {

constexpr std::string_view kBuiltFor = LOCKSTEP_BUILT_FOR;
constexpr std::size_t kMarkLength = sizeof(LOCKSTEP_BUILT_FOR_MARK) - 1;
constexpr std::size_t kLongestVersion = 64;

constexpr const char* kWhatIsOne =
    "a plug-in is a shared library that includes train/registry/registry.h and defines extern \"C\" void "
    "lockstep_register(lockstep::Registry&); docs/extending.md shows one";

[[noreturn]] void refuse(const std::string& file, ExitCode code, const std::string& why) {
  throw Error(code, fmt::format("--usr_lib={}: {}", file, why), Scope::every_rank);
}

std::string read_library(const std::string& file) {
  try {
    return read_file(file);
  } catch (const Error& error) {
    refuse(file, error.code(), fmt::format("{}; give the path of a shared library, as build/libmine.so", error.what()));
  }
}

// Checks the version that the library was built for. Its file has it as text, which can be read without running any of
// its code, even if the loader would only report a missing symbol or a liblockstep of another version.
void check_version(const std::string& file, const std::string& content) {
  const std::string_view mark = kBuiltFor.substr(0, kMarkLength);
  std::size_t at = content.find(mark);
  if (at == std::string::npos) refuse(file, ExitCode::configuration, fmt::format("not a plug-in: {}", kWhatIsOne));
  for (; at != std::string::npos; at = content.find(mark, at + 1)) {
    const std::string_view version = std::string_view(content).substr(at + kMarkLength, kLongestVersion);
    const std::string_view text = version.substr(0, version.find('\0'));
    if (text == kBuiltFor.substr(kMarkLength)) continue;
    refuse(file, ExitCode::configuration,
           fmt::format("built for lockstep {}, and this is lockstep {}; build it again with the headers that are "
                       "installed with this one",
                       text, kBuiltFor.substr(kMarkLength)));
  }
}

// Checks that the file contains its segments. The loader maps them as the file describes them, and dies of a SIGBUS if
// the file was cut off, by an interrupted copy or a full disk.
void check_complete(const std::string& file, std::string_view content) {
  Elf64_Ehdr header{};
  if (content.size() < sizeof header) return;
  std::memcpy(&header, content.data(), sizeof header);
  if (!content.starts_with(ELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64) return;  // the loader reports it
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    const auto holds = [&](std::uint64_t offset, std::uint64_t bytes) {
      return offset <= content.size() && bytes <= content.size() - offset;
    };
    const std::uint64_t at = header.e_phoff + i * sizeof segment;
    bool whole = holds(at, sizeof segment);
    if (whole) {
      std::memcpy(&segment, content.data() + at, sizeof segment);
      whole = segment.p_type != PT_LOAD || holds(segment.p_offset, segment.p_filesz);
    }
    if (whole) continue;
    refuse(file, ExitCode::configuration,
           fmt::format("it is cut off after {} bytes; copy or build it again", content.size()));
  }
}

// The reason why the last dlopen() of this path failed, with "undefined symbol: _ZN4mine3netEi" as mine::net(int).
std::string loader_says(const std::string& path) {
  const char* said = dlerror();
  std::string why = said == nullptr ? "the loader does not say why" : said;
  if (why.starts_with(path + ": ")) why.erase(0, path.size() + 2);
  constexpr std::string_view kUndefined = "undefined symbol: ";
  if (!why.starts_with(kUndefined)) return why;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(why.c_str() + kUndefined.size(), nullptr, nullptr, &status), &std::free);
  if (name) why.replace(kUndefined.size(), std::string::npos, name.get());
  return why;
}

decltype(&lockstep_register) load(const std::string& file) {
  // The path needs a slash, or the loader would search its own folders.
  const std::string path = std::filesystem::absolute(file).string();
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    refuse(file, ExitCode::configuration,
           fmt::format("cannot be loaded: {}; link it to all libraries that it uses, with an rpath to where they are",
                       loader_says(path)));
  }
  void* found = dlsym(handle, "lockstep_register");
  if (found == nullptr) {
    refuse(file, ExitCode::configuration, fmt::format("defines no lockstep_register: {}", kWhatIsOne));
  }
  return reinterpret_cast<decltype(&lockstep_register)>(found);
}

}  // namespace

std::string load_user_library(const std::string& file, Registry& registry) {
  const std::string content = read_library(file);
  check_version(file, content);
  check_complete(file, content);
  const auto register_in = load(file);
  const Registry before = registry;
  // Caught to name the library: run_rank knows nothing of libraries.
  try {
    register_in(registry);
  } catch (const Error& error) {
    refuse(file, error.code(), error.what());
  } catch (const std::exception& failure) {
    refuse(file, ExitCode::internal, fmt::format("its lockstep_register has thrown: {}", failure.what()));
  } catch (...) {
    refuse(file, ExitCode::internal, "its lockstep_register has thrown something that is no std::exception");
  }
  check_added(before, registry, [&file](const std::string& why) { refuse(file, ExitCode::configuration, why); });
  name_added(before, registry, file);
  Sha256 sha;
  sha.update(std::as_bytes(std::span(content)));
  return hex(sha.finish());
}

}  // namespace lockstep
