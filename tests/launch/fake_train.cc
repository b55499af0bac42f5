// train with one more kind of devices, fake: the cuda backend on GPUs that are made of threads and the heap
// (tests/support/gpu), for the tests of what happens around a GPU. The environment says what there is:
//
//   LOCKSTEP_FAKE_GPUS       how many each process sees; 1
//   LOCKSTEP_FAKE_GPU_MIB    memory of each; 1024
#include <cstdlib>
#include <string>
#include <vector>

#include "launch/train_program.h"
#include "support/gpu/fake_devices.h"
#include "support/gpu/fake_gpu.h"

namespace {

int number(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  constexpr int kMib = 1 << 20;
  lockstep::gpu_stand_in::have_gpus(number("LOCKSTEP_FAKE_GPUS", 1),
                                    static_cast<std::size_t>(number("LOCKSTEP_FAKE_GPU_MIB", 1024)) * kMib);
  lockstep::Registry registry = lockstep::builtin_registry();
  registry.devices.add("fake", "GPUs made of threads and the heap", lockstep::fake_devices());
  return lockstep::run_train_program(args, registry);
}
