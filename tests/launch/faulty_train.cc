// train with one more model, mlp_faulty, one rank of which fails at one step: for the tests of how jobs end. The
// environment variable LOCKSTEP_FAULT_PAUSE_MS makes each of its steps that much longer; it is not an hparam, because a
// run that is restarted without it is still the same run.
#include <chrono>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "launch/train_program.h"
#include "model/image_models.h"
#include "model/layer_model.h"
#include "model/layers.h"

namespace lockstep {
namespace {

int rank_of_this_process() {
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  return rank == nullptr ? 0 : std::atoi(rank);
}

class Fault final : public Layer {
 public:
  explicit Fault(const HParams& hparams)
      : kind_(hparams.text("fault")),
        step_(hparams.integer("fault_step")),
        here_(hparams.integer("fault_rank") == rank_of_this_process()) {
    const char* pause = std::getenv("LOCKSTEP_FAULT_PAUSE_MS");
    if (pause != nullptr) pause_ = std::chrono::milliseconds(std::atoi(pause));
  }

  Shape declare(const Shape& input, Declaration& declaration) override {
    // Declared on every rank, because all have the same variables; backward() does not report it.
    if (kind_ == "forget") {
      const std::string name = "fault_" + std::to_string(declaration.next_layer());
      declaration.variable(name + "/slope", {1}, Initializer::zeros(), false);
    }
    return input;
  }

  Tensor forward(const Tensor& input, Pass& pass) override {
    if (pass.mode == Pass::Mode::train) std::this_thread::sleep_for(pause_);
    if (!here_ || pass.step != step_) return input;
    if (kind_ == "sleep") std::this_thread::sleep_for(std::chrono::seconds(300));
    if (kind_ == "throw") throw Error(ExitCode::bad_data, "a fault was planted here");
    if (kind_ == "throw_std") throw std::runtime_error("a foreign exception was planted here");
    if (kind_ == "no_thread") throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    if (kind_ == "throw_number") throw 42;  // NOLINT(hicpp-exception-baseclass)
    if (kind_ == "nan") input.as<float>()[0] = std::numeric_limits<float>::quiet_NaN();
    return input;
  }

  Tensor backward(const Tensor& output_gradient, InputGradient /*input_gradient*/, Pass& /*pass*/) override {
    return output_gradient;
  }

 private:
  std::string kind_;
  std::int64_t step_;
  bool here_;
  std::chrono::milliseconds pause_{};
};

std::unique_ptr<Model> make_faulty_model(const HParams& hparams, const ProblemShape& shape) {
  std::vector<LayerPointer> layers;
  layers.push_back(make_linear(hparams.integer("hidden_size"), LinearInit::he_uniform));
  layers.push_back(make_activation(Activation::relu));
  layers.push_back(std::make_unique<Fault>(hparams));
  layers.push_back(make_linear(shape.outputs, LinearInit::glorot_uniform));
  return std::make_unique<LayerModel>(make_sequential(std::move(layers)), shape);
}

HParams faulty_hparams() {
  HParams hparams = mlp_hparams();
  hparams.set("hidden_size", std::int64_t{32});
  hparams.set("train_steps", std::int64_t{100000});
  hparams.set("fault", std::string("none"));
  hparams.set("fault_rank", std::int64_t{1});
  hparams.set("fault_step", std::int64_t{50});
  return hparams;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  lockstep::Registry registry = lockstep::builtin_registry();
  registry.models.add("mlp_faulty", "one rank goes wrong", lockstep::make_faulty_model);
  registry.hparams_sets.add("mlp_faulty", "fault, fault_rank, fault_step", lockstep::faulty_hparams);
  return lockstep::run_train_program(args, registry);
}
