#include "tensor/cuda/cudnn_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace lockstep {

CudnnLibrary::CudnnLibrary()
    : library_(dlopen(fmt::format("libcudnn.so.{}", CUDNN_MAJOR).c_str(), RTLD_NOW | RTLD_LOCAL)),
      complete_(library_ != nullptr) {}

template <class Function>
Function CudnnLibrary::look_up(const char* name) {
  void* const found = library_ == nullptr ? nullptr : dlsym(library_, name);
  complete_ = complete_ && found != nullptr;
  return reinterpret_cast<Function>(found);
}

const CudnnLibrary* CudnnLibrary::find() {
  static const CudnnLibrary library;
  return library.complete_ ? &library : nullptr;
}

std::string CudnnLibrary::version() const {
  const std::size_t version = cudnnGetVersion();
  constexpr std::size_t kMajor = 10000;
  return fmt::format("{}.{}.{}", version / kMajor, version % kMajor / 100, version % 100);
}

}  // namespace lockstep
