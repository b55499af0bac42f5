// train with one more kind of devices, fake: the cuda backend on GPUs made of threads and heap memory
// (tests/support/gpu), for tests of the code around a GPU. Environment variables:
//
//   LOCKSTEP_FAKE_GPUS       number that each process sees; 1
//   LOCKSTEP_FAKE_GPU_MIB    memory of each; 1024
//   LOCKSTEP_FAKE_DRIVER     CUDA version of the driver; 13000 is 13.0, for which this is built
//   LOCKSTEP_FAKE_GPU_LOST   step in which they are lost, of the model `losing`, which is a linear one; never
#include <cstdlib>
#include <string>
#include <vector>

#include "launch/train_program.h"
#include "model/layer_model.h"
#include "model/layers.h"
#include "support/gpu/fake_devices.h"
#include "support/gpu/fake_gpu.h"

namespace {

int number(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

class LostGpu final : public lockstep::Layer {
 public:
  lockstep::Shape declare(const lockstep::Shape& input, lockstep::Declaration& /*declaration*/) override {
    return input;
  }
  lockstep::Tensor forward(const lockstep::Tensor& input, lockstep::Pass& pass) override {
    if (pass.mode == lockstep::Pass::Mode::train && pass.step == step_) lockstep::gpu_stand_in::lose_gpus();
    return input;
  }
  lockstep::Tensor backward(const lockstep::Tensor& output_gradient, lockstep::InputGradient /*input_gradient*/,
                            lockstep::Pass& /*pass*/) override {
    return output_gradient;
  }

 private:
  std::int64_t step_ = number("LOCKSTEP_FAKE_GPU_LOST", -1);
};

std::unique_ptr<lockstep::Model> make_losing(const lockstep::HParams& /*hparams*/,
                                             const lockstep::ProblemShape& shape) {
  std::vector<lockstep::LayerPointer> layers;
  layers.push_back(lockstep::make_linear(shape.outputs, lockstep::LinearInit::glorot_uniform));
  layers.push_back(std::make_unique<LostGpu>());
  return std::make_unique<lockstep::LayerModel>(lockstep::make_sequential(std::move(layers)), shape);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  constexpr int kMib = 1 << 20;
  lockstep::gpu_stand_in::have_gpus(number("LOCKSTEP_FAKE_GPUS", 1),
                                    static_cast<std::size_t>(number("LOCKSTEP_FAKE_GPU_MIB", 1024)) * kMib);
  if (const int driver = number("LOCKSTEP_FAKE_DRIVER", -1); driver >= 0) lockstep::gpu_stand_in::have_driver(driver);
  lockstep::Registry registry = lockstep::builtin_registry();
  registry.models.add("losing", "its GPU is lost", make_losing);
  registry.hparams_sets.add("losing", "nothing to set", [] { return lockstep::HParams(); });
  registry.devices.add("fake", "GPUs made of threads and the heap", lockstep::fake_devices());
  return lockstep::run_train_program(args, registry);
}
