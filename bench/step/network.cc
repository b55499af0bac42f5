#include "network.h"

#include <fmt/format.h>

#include <utility>

#include "clock.h"
#include "model/image_models.h"
#include "model/layer_model.h"
#include "model/layers.h"
#include "model/transformer/transformer.h"
#include "train/registry/hparams_sets.h"

namespace lockstep::bench {
namespace {

// Forwards to `layer` and records how long it took.
class TimedLayer final : public Layer {
 public:
  TimedLayer(LayerPointer layer, LayerTimes& times) : layer_(std::move(layer)), times_(times) {}

  Known known_as() const override { return layer_->known_as(); }

  Shape declare(const Shape& input, Declaration& declaration) override { return layer_->declare(input, declaration); }

  Tensor forward(const Tensor& input, Pass& pass) override {
    const double begin = now_us();
    Tensor output = layer_->forward(input, pass);
    times_.forward_us.push_back(now_us() - begin);
    return output;
  }

  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    const double begin = now_us();
    Tensor gradient = layer_->backward(output_gradient, input_gradient, pass);
    times_.backward_us.push_back(now_us() - begin);
    return gradient;
  }

 private:
  LayerPointer layer_;
  LayerTimes& times_;
};

// Collects the layers of a network. Their products are known only if each layer is timed.
class Builder {
 public:
  Builder(const Shape& input, const NetworkSize& size) : size_(size) {
    network_.shape = {.input = input, .outputs = kClasses};
    network_.rows = size.rows;
  }

  void add(std::string name, LayerPointer layer) { add_timed(std::move(name), std::move(layer)); }

  void add_linear(std::string name, std::int64_t inputs, std::int64_t outputs) {
    LayerTimes* const times = add_timed(std::move(name), make_linear(outputs, LinearInit::he_uniform));
    if (times == nullptr) return;
    const std::int64_t batch = size_.batch;
    times->forward_floor.emplace_back(Product{Product::Form::plain, batch, outputs, inputs});
    times->backward_floor.emplace_back(Product{Product::Form::a_transposed, inputs, outputs, batch});
    const bool first = network_.times.size() == 1;
    if (!first) times->backward_floor.emplace_back(Product{Product::Form::b_transposed, batch, inputs, outputs});
  }

  void add_convolution(std::string name, std::int64_t side, std::int64_t channels, std::int64_t filters) {
    LayerTimes* const times =
        add_timed(std::move(name), make_convolution({.filters = filters, .padding = Padding::valid}));
    if (times == nullptr) return;
    const std::int64_t batch = size_.batch;
    times->forward_floor.emplace_back(ImageProduct{Direction::forward, batch, side, channels, filters, 3});
    times->backward_floor.emplace_back(ImageProduct{Direction::backward_kernel, batch, side, channels, filters, 3});
    const bool first = network_.times.size() == 1;
    if (first) return;
    times->backward_floor.emplace_back(ImageProduct{Direction::backward_input, batch, side, channels, filters, 3});
  }

  Network finish() {
    network_.model = std::make_unique<LayerModel>(make_sequential(std::move(layers_)), network_.shape);
    return std::move(network_);
  }

 private:
  // Returns null if rows are operations.
  LayerTimes* add_timed(std::string name, LayerPointer layer) {
    if (network_.rows == Rows::operations) {
      layers_.push_back(std::move(layer));
      return nullptr;
    }
    LayerTimes& times = *network_.times.emplace_back(std::make_unique<LayerTimes>());
    times.name = std::move(name);
    layers_.push_back(std::make_unique<TimedLayer>(std::move(layer), times));
    return &times;
  }

  NetworkSize size_;
  Network network_;
  std::vector<LayerPointer> layers_;
};

Network make_mlp(const NetworkSize& size, const std::vector<std::int64_t>& hidden) {
  Builder builder({784}, size);
  std::int64_t inputs = 784;
  for (const std::int64_t outputs : hidden) {
    builder.add_linear(fmt::format("linear {}-{}", inputs, outputs), inputs, outputs);
    builder.add("relu", make_activation(Activation::relu));
    inputs = outputs;
  }
  builder.add_linear(fmt::format("linear {}-{}", inputs, kClasses), inputs, kClasses);
  return builder.finish();
}

Network make_language_model(const char* hparams_set_name, std::int64_t vocabulary, std::int64_t length) {
  Network network;
  network.shape = {.sample = ProblemShape::Sample::sequence,
                   .outputs = vocabulary,
                   .input_type = DType::int32,
                   .vocabulary = vocabulary};
  network.length = length;
  network.model = make_transformer_lm(hparams_set(builtin_registry(), hparams_set_name), network.shape);
  return network;
}

}  // namespace

Network make_mlp(const NetworkSize& size) { return make_mlp(size, {512, 512}); }

Network make_mlp_25m(const NetworkSize& size) { return make_mlp(size, {3344, 3344, 3344}); }

Network make_convnet(const NetworkSize& size) {
  Builder builder({28, 28, 1}, size);
  builder.add_convolution("conv 3x3x32", 28, 1, 32);
  builder.add("relu", make_activation(Activation::relu));
  builder.add("max pool", make_pooling({}));
  builder.add_convolution("conv 3x3x64", 13, 32, 64);
  builder.add("relu", make_activation(Activation::relu));
  builder.add("max pool", make_pooling({}));
  builder.add("dropout", make_dropout(0.5));
  builder.add_linear("linear 1600-10", 1600, kClasses);
  return builder.finish();
}

Network make_resnet(const NetworkSize& /*size*/) {
  Network network;
  network.shape = {.input = {32, 32, 3}, .outputs = kClasses};
  network.model = make_resnet_model(hparams_set(builtin_registry(), "resnet"), network.shape);
  return network;
}

Network make_lm(const NetworkSize& size) { return make_language_model("lm_bench", 8192, size.length); }

Network make_gpt2(const NetworkSize& size) { return make_language_model("gpt2", 50257, size.length); }

}  // namespace lockstep::bench
