#include "model/gradient_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "model/gradient_comparison.h"
#include "model/gradient_order.h"
#include "tensor/backend.h"

namespace lockstep {
namespace {

Batch without_rows(const Batch& batch) {
  const auto none = [](const Tensor& of) { return is_given(of) ? of.rows(0, 0) : of; };
  return {.inputs = none(batch.inputs),
          .targets = none(batch.targets),
          .weights = none(batch.weights),
          .row_ids = none(batch.row_ids),
          .source = none(batch.source),
          .source_ids = none(batch.source_ids)};
}

// A layer by itself, with memory for its input and output. The scalar is the sum of output * r with random r, which is
// also the gradient of the output.
class LayerCheck {
 public:
  LayerCheck(LayerPointer layer, const Shape& of_sample)
      : layer_(std::move(layer)),
        input_(of_sample),
        output_(declare()),
        store_(table_, allocator_, allocator_, DType::float64) {
    initialize(*backend_, store_, initializers_, 5);
    disturb(store_);
    x_.resize(static_cast<std::size_t>(kBatch * input_.elements()));
    r_.resize(static_cast<std::size_t>(kBatch * output_.elements()));
    fill_random(input(kBatch), 1);
    fill_random(Tensor(r_.data(), DType::float64, output_.with_front(kBatch)), 2);
  }

  // Two passes, the second over the first one's results; then one over an empty batch.
  double error(InputGradient asked) {
    const std::vector<double> before = x_;
    const Gradients first = backward(kBatch, asked);
    const Gradients second = backward(kBatch, asked);
    check_part(x_ == before, "the layer has changed its input, which is its caller's");
    backward(0, asked);
    check_gradients_of_nothing(store_);

    const auto value = [this] { return scalar(kBatch); };
    Gradients expected;
    if (asked == InputGradient::needed) expected.input = central_differences(x_.data(), std::ssize(x_), value);
    expected.variables = expected_gradients(store_, value);
    double error = 0;
    for (const Gradients& found : {first, second}) {
      error = std::max(
          {error, relative_error(found.input, expected.input), relative_error(found.variables, expected.variables)});
    }
    return error;
  }

 private:
  static constexpr std::int64_t kBatch = 3;

  struct Gradients {
    std::vector<double> input;  // none if not needed
    std::vector<double> variables;
  };

  Shape declare() {
    Declaration declaration(table_, initializers_);
    return layer_->declare(input_, declaration);
  }

  Tensor input(std::int64_t batch) { return {x_.data(), DType::float64, input_.with_front(batch)}; }

  Pass pass(std::int64_t batch) {
    return {.backend = *backend_,
            .parameters = store_,
            .seed = 9,
            .step = 4,
            .row_ids = Tensor(ids_.data(), DType::int64, {batch})};
  }

  double scalar(std::int64_t batch) {
    Pass forward = pass(batch);
    const Tensor y = layer_->forward(input(batch), forward);
    const Shape declared = output_.with_front(batch);
    check_part(y.shape() == declared,
               fmt::format("the layer gives {}, and its declare() has said {} (with the batch in front)",
                           y.shape().text(), declared.text()));
    check_part(all_finite(y.span<double>()),
               "the layer gives an output that is NaN or infinite, for inputs in [-1, 1]");
    return std::inner_product(y.as<double>(), y.as<double>() + y.count(), r_.begin(), 0.0);
  }

  Gradients backward(std::int64_t batch, InputGradient asked) {
    GradientOrder order(table_);
    Pass backward = pass(batch);
    backward.on_gradient_ready = [&order](FlatRange range) { order.ready(range); };
    scalar(batch);
    forget_gradients(store_);
    std::vector<double> dy = r_;  // the layer may overwrite it
    const Tensor dx = layer_->backward(Tensor(dy.data(), DType::float64, output_.with_front(batch)), asked, backward);
    order.finish();
    check_part(is_given(dx) == (asked == InputGradient::needed),
               is_given(dx) ? "the layer gives a gradient of its input that is not needed"
                            : "the layer gives no gradient of its input, which is needed");
    Gradients gradients{.input = {}, .variables = written_gradients(store_)};
    if (!is_given(dx)) return gradients;
    const Shape expected = input_.with_front(batch);
    check_part(dx.shape() == expected, fmt::format("the layer gives a gradient of its input of {}, and the input is {}",
                                                   dx.shape().text(), expected.text()));
    check_part(all_finite(dx.span<double>()), "the layer gives a gradient of its input that is NaN or infinite");
    gradients.input.assign(dx.as<double>(), dx.as<double>() + dx.count());
    return gradients;
  }

  std::unique_ptr<Backend> backend_ = make_backend({});
  HostAllocator allocator_;
  ParameterTable table_;
  std::vector<Initializer> initializers_;
  LayerPointer layer_;
  Shape input_;   // shape of one sample
  Shape output_;  // shape of one sample
  ParameterStore store_;
  std::vector<double> x_;
  std::vector<double> r_;
  std::array<std::int64_t, kBatch> ids_{11, 4, 7};
};

}  // namespace

double gradient_error(Model& model, const Batch& batch) {
  const auto backend = make_backend({});
  HostAllocator allocator;
  const ParameterStore store(model.table(), allocator, allocator, DType::float64);
  initialize(*backend, store, model.initializers(), 5);
  disturb(store);
  const auto loss = [&](const Batch& samples) {
    Pass pass{.backend = *backend, .parameters = store, .seed = 9, .step = 4, .row_ids = samples.row_ids};
    const double value = model.forward(samples, pass)["loss"];
    check_part(std::isfinite(value), "the model gives a loss that is NaN or infinite");
    return value;
  };
  const auto gradients = [&](const Batch& samples) {
    Pass pass{.backend = *backend, .parameters = store, .seed = 9, .step = 4, .row_ids = samples.row_ids};
    loss(samples);
    forget_gradients(store);
    model.backward(pass);
    return written_gradients(store);
  };
  const std::vector<double> first = gradients(batch);
  const std::vector<double> second = gradients(batch);  // over the first one's results
  gradients(without_rows(batch));
  check_gradients_of_nothing(store);
  const std::vector<double> expected = expected_gradients(store, [&] { return loss(batch); });
  return std::max(relative_error(first, expected), relative_error(second, expected));
}

double layer_gradient_error(const std::function<LayerPointer()>& make_layer, const Shape& input, InputGradient asked) {
  return LayerCheck(make_layer(), input).error(asked);
}

}  // namespace lockstep
