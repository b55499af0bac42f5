#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/image_models.h"
#include "model/layer_model.h"
#include "model/layers.h"
#include "small_batch.h"
#include "support/counting_backend.h"

namespace lockstep {
namespace {

const ProblemShape kImages{.input = {16, 16, 3}, .outputs = 7};

// Returns the memory of a model's first training pass, without the parameters.
std::int64_t bytes_taken(CountingBackend& backend, Model& model, std::int64_t samples, DType products) {
  HostAllocator allocator;
  ParameterStore store(model.table(), allocator, allocator, DType::float32);
  initialize(backend, store, model.initializers(), 5);
  store.set_product_dtype(backend, products);
  store.update_copy(backend);
  const std::int64_t before = backend.in_use();
  const SmallBatch small(samples, kImages);
  Batch batch = small.batch;
  const std::vector<float> inputs(small.inputs.begin(), small.inputs.end());
  batch.inputs = Tensor(const_cast<float*>(inputs.data()), DType::float32, kImages.input.with_front(samples));
  Pass pass{.backend = backend, .parameters = store, .seed = 3, .step = 1, .row_ids = batch.row_ids};
  model.forward(batch, pass);
  model.backward(pass);
  return backend.in_use() - before;
}

void check_said(const std::function<std::unique_ptr<Model>()>& make) {
  std::vector<DType> types{DType::float32};
  if (make_cpu_backend()->bfloat16_products().empty()) types.push_back(DType::bfloat16);
  for (const DType products : types) {
    CAPTURE(name(products));
    constexpr std::int64_t kSamples = 64;
    CountingBackend backend;
    const std::unique_ptr<Model> model = make();
    const auto said = model->pass_bytes(kSamples, products);
    REQUIRE(said);
    CHECK(static_cast<double>(said->total()) ==
          doctest::Approx(static_cast<double>(bytes_taken(backend, *model, kSamples, products))).epsilon(0.02));
  }
}

// A layer of a user's library that does not report its memory, and uses as much as is assumed for such a layer.
class Silent final : public Layer {
 public:
  Shape declare(const Shape& input, Declaration& declaration) override {
    declaration.next_layer();
    return input;
  }
  Tensor forward(const Tensor& input, Pass& pass) override {
    const Tensor output = output_memory_.get(pass.backend, input.dtype(), input.shape());
    pass.backend.copy(input, output);
    return output;
  }
  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    if (input_gradient == InputGradient::not_needed) return {};
    const Tensor gradient = gradient_memory_.get(pass.backend, output_gradient.dtype(), output_gradient.shape());
    pass.backend.copy(output_gradient, gradient);
    return gradient;
  }

 private:
  LayerMemory output_memory_;
  LayerMemory gradient_memory_;
};

// Branches, a residual connection, and a user's layers among ours.
std::unique_ptr<Model> model_with(Join join) {
  std::vector<LayerPointer> branches;
  for (int branch = 0; branch < 2; ++branch) {
    std::vector<LayerPointer> layers;
    layers.push_back(make_convolution({.filters = 5}));
    layers.push_back(std::make_unique<Silent>());
    layers.push_back(make_layer_norm());
    branches.push_back(make_sequential(std::move(layers)));
  }
  std::vector<LayerPointer> layers;
  layers.push_back(std::make_unique<Silent>());
  layers.push_back(make_parallel(std::move(branches), join));
  layers.push_back(make_residual(std::make_unique<Silent>()));
  layers.push_back(make_flatten());
  layers.push_back(make_linear(kImages.outputs, LinearInit::glorot_uniform));
  return std::make_unique<LayerModel>(make_sequential(std::move(layers)), kImages);
}

}  // namespace

TEST_CASE("what the models of images say of the memory of their passes is what they take") {
  for (const char* changes : {"", "dropout=0.0", "activation=gelu,num_hidden_layers=3", "activation=tanh"}) {
    CAPTURE(changes);
    HParams hparams = mlp_hparams();
    hparams.parse("hidden_size=48");
    hparams.parse(changes);
    check_said([&] { return make_mlp_model(hparams, kImages); });
  }
  check_said([&] { return make_linear_model({}, kImages); });
  check_said([&] { return make_lenet_model({}, kImages); });
  for (const char* changes : {"", "hidden_size=0,dropout=0.0", "padding=valid,num_blocks=2"}) {
    CAPTURE(changes);
    HParams hparams = convnet_hparams();
    hparams.parse("num_filters=8");
    hparams.parse(changes);
    check_said([&] { return make_convnet_model(hparams, kImages); });
  }
  check_said([&] { return make_resnet_model(resnet_hparams(), kImages); });
  ProblemShape normalised = kImages;
  normalised.normalised = true;
  check_said([&] { return make_resnet_model(resnet_hparams(), normalised); });
}

TEST_CASE("what containers, and layers that say nothing, are taken to keep is what they keep") {
  for (const Join join : {Join::add, Join::concatenate}) {
    check_said([join] { return model_with(join); });
  }
}

}  // namespace lockstep
