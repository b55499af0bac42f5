#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "tensor/cuda/gpu_under_test.h"

namespace lockstep {
namespace {

constexpr int kSkipped = 77;  // SKIP_RETURN_CODE in CMakeLists.txt

}  // namespace

// Fails, instead of skipping, if LOCKSTEP_EXPECT_GPU says that there is a GPU.
std::unique_ptr<Backend> gpu() {
  try {
    return make_backend({Device::Kind::cuda, 0});
  } catch (const Error& error) {
    if (error.code() != ExitCode::configuration || std::getenv("LOCKSTEP_EXPECT_GPU") != nullptr) throw;
    std::printf("skipped: %s\n", error.what());
    std::exit(kSkipped);
  }
}

std::unique_ptr<Backend> last_gpu() {
  const auto first = gpu();
  const auto count = std::ssize(visible_gpus().devices);
  return make_backend({Device::Kind::cuda, static_cast<int>(count) - 1});
}

void on_gpu(const std::function<void(Backend&)>& body) { body(*gpu()); }
void on_gpu_with_library(const std::function<void(Backend&)>& body) { on_gpu(body); }

}  // namespace lockstep
