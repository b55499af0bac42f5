#include "tensor/cuda/load_module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "tensor/cuda/module.h"

namespace lockstep {
namespace {

// The folder of the library that holds this very function.
std::filesystem::path own_folder() {
  Dl_info found{};
  LS_CHECK(dladdr(reinterpret_cast<const void*>(&make_cuda_backend), &found) != 0, "the loader does not know us");
  return std::filesystem::absolute(found.dli_fname).parent_path();
}

[[noreturn]] void refuse(const std::string& why) { throw Error(ExitCode::configuration, why); }

std::string module_path() { return (own_folder() / kCudaModuleFile).string(); }

const CudaModule& load() {
  const std::string path = module_path();
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    refuse(fmt::format("the cuda module cannot be loaded: {}. Install it next to liblockstep",
                       why == nullptr ? path : std::string(why)));
  }
  const auto* module = static_cast<const CudaModule*>(dlsym(handle, kCudaModuleSymbol));
  if (module == nullptr) {
    refuse(
        fmt::format("{} has no symbol {}: it is not a module of Lockstep. Install the one that was built with "
                    "liblockstep",
                    path, kCudaModuleSymbol));
  }
  if (std::string_view(module->version) != LOCKSTEP_VERSION) {
    refuse(fmt::format("{} is of version {}, liblockstep of version {}. Install both from one build", path,
                       module->version, LOCKSTEP_VERSION));
  }
  return *module;
}

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(int index) { return load().make(index); }

VisibleDevices find_cuda_devices() {
  try {
    return load().visible();
  } catch (const Error& why) {
    return {.devices = {}, .why_none = why.what()};
  }
}

const void* find_in_cuda_module(const char* symbol) {
  load();
  return dlsym(dlopen(module_path().c_str(), RTLD_NOW | RTLD_LOCAL), symbol);  // the same one again
}

}  // namespace lockstep
