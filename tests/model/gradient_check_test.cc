#include "model/gradient_check.h"

#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "model/layer_memory.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

// y = beta * x for float64, with one beta for all, and faulty in one way.
class Wrong final : public Layer {
 public:
  enum class Way {
    none,
    variable,
    input,
    overwritten_input,
    shape,
    unasked,
    withheld,
    unreported,
    nan_variable,
    nan_input,
    nan_output,
    added,
    unwritten_for_nothing,
    of_last_pass,
  };
  explicit Wrong(Way way) : way_(way) {}

  Shape declare(const Shape& input, Declaration& declaration) override {
    beta_ = declaration.variable("wrong_" + std::to_string(declaration.next_layer()) + "/beta", {1},
                                 Initializer::ones(), false);
    return way_ == Way::shape ? Shape{input.elements() + 1} : input;
  }

  Tensor forward(const Tensor& input, Pass& pass) override {
    input_ = input;
    const Tensor output = output_.get(pass.backend, input.dtype(), input.shape());
    const double beta = *pass.parameters.value(beta_).as<double>();
    for (std::int64_t i = 0; i < input.count(); ++i) output.as<double>()[i] = beta * input.as<double>()[i];
    if (way_ == Way::nan_output) output.span<double>().back() = kNan;
    if (way_ == Way::overwritten_input) input.as<double>()[0] += 1;
    return output;
  }

  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    const double beta = *pass.parameters.value(beta_).as<double>();
    double slope = 0;
    for (std::int64_t i = 0; i < input_.count(); ++i) {
      slope += output_gradient.as<double>()[i] * input_.as<double>()[i];
      output_gradient.as<double>()[i] *= way_ == Way::input ? 1.01 * beta : beta;
    }
    if (way_ == Way::nan_input) output_gradient.span<double>().back() = kNan;
    if (way_ == Way::of_last_pass && input_.count() > 0) slope += std::exchange(last_slope_, slope);
    write(pass.parameters.gradient(beta_).as<double>(), slope);
    if (way_ != Way::unreported) pass.on_gradient_ready(pass.parameters.table().padded(beta_, beta_ + 1));
    if (way_ == Way::withheld) return {};
    return input_gradient == InputGradient::needed || way_ == Way::unasked ? output_gradient : Tensor();
  }

 private:
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

  void write(double* gradient, double slope) const {
    if (way_ == Way::unwritten_for_nothing && input_.count() == 0) return;
    if (way_ == Way::added) slope += *gradient;
    if (way_ == Way::nan_variable) slope = kNan;
    *gradient = way_ == Way::variable ? 0.99 * slope : slope;
  }

  Way way_;
  int beta_ = 0;
  double last_slope_ = 0;
  Tensor input_;
  LayerMemory output_;
};

double error_of(Wrong::Way way, InputGradient asked = InputGradient::needed) {
  return layer_gradient_error([way] { return std::make_unique<Wrong>(way); }, {7}, asked);
}

TEST_CASE("gradient check: a layer that is right, and gradients that are one per cent off") {
  CHECK(error_of(Wrong::Way::none) < 1e-7);
  CHECK(error_of(Wrong::Way::none, InputGradient::not_needed) < 1e-7);
  CHECK(error_of(Wrong::Way::variable) > 1e-3);
  CHECK(error_of(Wrong::Way::input) > 1e-3);
  CHECK(error_of(Wrong::Way::of_last_pass) > 1e-3);
}

TEST_CASE("gradient check: a NaN does not pass, nor does a gradient that is not written") {
  for (const InputGradient asked : {InputGradient::needed, InputGradient::not_needed}) {
    const auto check = [asked](Wrong::Way way, const std::string& what) {
      check_error(ExitCode::internal, {what}, [&] { error_of(way, asked); });
    };
    check(Wrong::Way::nan_output, "gives an output that is NaN or infinite");
    check(Wrong::Way::nan_variable, "the gradient of wrong_0/beta is NaN or infinite");
    check(Wrong::Way::added, "has added to what was there");
    check(Wrong::Way::unwritten_for_nothing, "the gradient of wrong_0/beta is NaN or infinite");
  }
  check_error(ExitCode::internal, {"a gradient of its input that is NaN"}, [] { error_of(Wrong::Way::nan_input); });
}

TEST_CASE("gradient check: what a layer must not do is said") {
  const auto check = [](Wrong::Way way, const std::string& what, InputGradient asked = InputGradient::needed) {
    check_error(ExitCode::internal, {what}, [&] { error_of(way, asked); });
  };
  check(Wrong::Way::overwritten_input, "has changed its input");
  check(Wrong::Way::shape, "its declare() has said (3, 8)");
  check(Wrong::Way::unasked, "that is not needed", InputGradient::not_needed);
  check(Wrong::Way::withheld, "gives no gradient of its input");
  check(Wrong::Way::unreported, "layer wrong_0 (variable wrong_0/beta) did not report");
}

}  // namespace
}  // namespace lockstep
