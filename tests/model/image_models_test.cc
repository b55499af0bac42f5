#include "model/image_models.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "model/gradient_check.h"
#include "model/loss.h"
#include "small_batch.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

const ProblemShape kMnist{.input = {28, 28, 1}, .outputs = 10};

// 3x3x32 and 3x3x64 without padding, no hidden layer: the small convnet of many tutorials.
HParams tutorial_hparams() {
  return convnet_hparams()
      .set("num_blocks", std::int64_t{2})
      .set("padding", std::string("valid"))
      .set("hidden_size", std::int64_t{0})
      .set("dropout", 0.5);
}

HParams with(HParams hparams, const std::string& overrides) {
  hparams.parse(overrides);
  return hparams;
}

std::vector<std::string> names_of(const Model& model) {
  std::vector<std::string> names;
  for (const Variable& variable : model.table().variables()) names.push_back(variable.name);
  return names;
}

TEST_CASE("parameters of the built-in models, counted by hand") {
  // 3x3x1x32 + 32, 3x3x32x64 + 64, 28 -> 26 -> 13 -> 11 -> 5: 5 * 5 * 64 = 1600 x 10 + 10
  CHECK(make_convnet_model(tutorial_hparams(), kMnist)->table().parameter_count() == 34826);
  // the same kernels, 28 -> 14 -> 7: 7 * 7 * 64 = 3136 x 128 + 128, 128 x 10 + 10
  CHECK(make_convnet_model(with(convnet_hparams(), "num_blocks=2,num_filters=32,hidden_size=128,padding=same"), kMnist)
            ->table()
            .parameter_count() == 320 + 18496 + 401536 + 1290);
  // 5x5x1x6 + 6, 5x5x6x16 + 16, 28 -> 14 -> 10 -> 5: 400 x 120 + 120, 120 x 84 + 84, 84 x 10 + 10
  CHECK(make_lenet_model({}, kMnist)->table().parameter_count() == 156 + 2416 + 48120 + 10164 + 850);
  // Stem and a norm; in each stage a block with two kernels and two norms; a shortcut of 4x8 + 8 and of 8x16 + 16 where
  // the filters double; 16 x 10 + 10.
  const auto conv = [](std::int64_t from, std::int64_t to) { return 9 * from * to + to; };
  const std::int64_t norms = 8 + 2 * 8 + 2 * 16 + 2 * 32;
  const std::int64_t expected = conv(1, 4) + 2 * conv(4, 4) + conv(4, 8) + conv(8, 8) + conv(8, 16) + conv(16, 16) +
                                norms + (32 + 8) + (128 + 16) + 160 + 10;
  const HParams small = with(resnet_hparams(), "num_filters=4,num_stages=3,num_blocks=1,norm_groups=2");
  CHECK(make_resnet_model(small, kMnist)->table().parameter_count() == expected);
}

TEST_CASE("names of variables are unique and in the order of the layers") {
  CHECK(names_of(*make_convnet_model(tutorial_hparams(), kMnist)) ==
        std::vector<std::string>{"conv_0/kernel", "conv_0/bias", "conv_3/kernel", "conv_3/bias", "linear_7/kernel",
                                 "linear_7/bias"});
  ProblemShape standardized = kMnist;
  standardized.normalised = true;
  standardized.input_mean = {0.3};
  standardized.input_stddev = {0.2};
  for (const auto& names :
       {names_of(*make_linear_model({}, standardized)), names_of(*make_mlp_model(mlp_hparams(), standardized)),
        names_of(*make_convnet_model(convnet_hparams(), standardized)), names_of(*make_lenet_model({}, standardized)),
        names_of(*make_resnet_model(resnet_hparams(), standardized))}) {
    CHECK(names[0] == "standardization_0/mean");
    CHECK(names[1] == "standardization_0/deviation");
    CHECK(names[2] != names[0]);
  }
}

TEST_CASE("the first outputs of a convnet are near 0: its last kernel begins at a tenth of Glorot's values") {
  const std::unique_ptr<Model> model = make_convnet_model(convnet_hparams(), kMnist);
  const std::vector<Initializer>& first = model->initializers();
  CHECK(first[first.size() - 2].limit == doctest::Approx(std::sqrt(6.0 / (128 + 10)) / 10));
}

TEST_CASE("gradients of small image models, with a standardization in front") {
  ProblemShape shape{.input = {6, 5, 2}, .outputs = 3};
  shape.normalised = true;
  shape.input_mean = {0.1, -0.2};
  shape.input_stddev = {0.5, 2};
  SmallBatch samples(3, shape);
  CHECK(gradient_error(
            *make_convnet_model(with(convnet_hparams().set(loss_hparams()),
                                     "num_blocks=2,num_filters=2,hidden_size=4,dropout=0.2,label_smoothing=0.1"),
                                shape),
            samples.batch) < 1e-6);
  CHECK(gradient_error(
            *make_resnet_model(with(resnet_hparams(), "num_filters=2,num_blocks=1,norm_groups=2,num_stages=2"), shape),
            samples.batch) < 1e-6);
  ProblemShape twelve{.input = {12, 13, 1}, .target = ProblemShape::Target::real, .outputs = 1};
  SmallBatch images(1, twelve);
  CHECK(gradient_error(*make_lenet_model(with(loss_hparams(), "loss=sigmoid_cross_entropy"), twelve), images.batch) <
        1e-6);
}

using Factory = std::unique_ptr<Model> (*)(const HParams&, const ProblemShape&);

void check_refused(Factory make, const HParams& hparams, const ProblemShape& shape, ExitCode code,
                   const std::string& text) {
  CAPTURE(text);
  try {
    make(hparams, shape);
    FAIL_CHECK("no Error was thrown");
  } catch (const Error& error) {
    CHECK_MESSAGE(std::string(error.what()).find(text) != std::string::npos, error.what());
    CHECK(error.code() == code);
    CHECK(error.scope() == Scope::every_rank);
  }
}

TEST_CASE("inputs that a model cannot take are refused with a cure") {
  const ExitCode configuration = ExitCode::configuration;
  ProblemShape symbols = kMnist;
  symbols.input_type = DType::int32;
  symbols.vocabulary = 50;
  check_refused(make_linear_model, {}, symbols, configuration, "model linear computes with images");
  check_refused(make_mlp_model, mlp_hparams(), symbols, configuration, "numbers of symbols (int32 below 50)");
  check_refused(make_convnet_model, convnet_hparams(), symbols, configuration, "model convnet computes");
  check_refused(make_lenet_model, {}, symbols, configuration, "model lenet computes");
  check_refused(make_resnet_model, resnet_hparams(), symbols, configuration, "begins with an embedding");

  ProblemShape text = symbols;  // not an image either, but another model fits
  text.input = {};
  text.sample = ProblemShape::Sample::sequence;
  check_refused(make_lenet_model, {}, text, configuration, "sequences of symbols; choose --model=transformer_lm");

  const ProblemShape row{.input = {784}, .outputs = 10};
  check_refused(make_convnet_model, convnet_hparams(), row, configuration, "inputs are (784); choose --model=mlp");
  check_refused(make_lenet_model, {}, row, configuration, "model lenet takes images");
  const ProblemShape flat{.input = {28, 28}, .outputs = 10};
  check_refused(make_resnet_model, resnet_hparams(), flat, configuration,
                "or give the inputs a last axis of one channel");

  const ProblemShape tiny{.input = {8, 30, 3}, .outputs = 10};
  check_refused(make_lenet_model, {}, tiny, configuration, "at least 12x12 pixels, but this problem's are");
  check_refused(make_convnet_model, with(convnet_hparams(), "padding=valid"), tiny, configuration,
                "nothing is left after block 2; there is room with num_blocks=1 or kernel_size=1 or padding=same in");
  for (const char* cure : {"num_blocks=1", "kernel_size=1", "padding=same"}) {
    HParams cured = with(convnet_hparams(), "padding=valid");
    cured.parse(cure);
    CHECK(make_convnet_model(cured, tiny) != nullptr);
  }
  check_refused(
      make_convnet_model, with(convnet_hparams(), "num_blocks=4"), tiny, configuration,
      "too small for 4 blocks of a 3x3 convolution and a 2x2 pooling: nothing is left after block 4; there is "
      "room with num_blocks=3 in --hparams");
  CHECK(make_convnet_model(with(convnet_hparams(), "num_blocks=3"), tiny) != nullptr);
  // Channels first: no hparam helps.
  const ProblemShape channels_first{.input = {1, 28, 28}, .outputs = 10};
  for (const char* overrides : {"num_blocks=3", "num_blocks=1,kernel_size=1"}) {
    check_refused(make_convnet_model, with(convnet_hparams(), overrides), channels_first, configuration,
                  "seem to have their channels first, and have to have them last");
  }
  CHECK(make_resnet_model(with(resnet_hparams(), "num_stages=6"), tiny) != nullptr);
}

TEST_CASE("hparams out of range are refused by name") {
  for (const char* overrides : {"num_blocks=0", "num_filters=0", "kernel_size=0", "hidden_size=-1", "dropout=1",
                                "padding=full", "label_smoothing=1", "loss=l2"}) {
    const std::string text(overrides);
    check_refused(make_convnet_model, with(convnet_hparams().set(loss_hparams()), text), kMnist, ExitCode::usage,
                  "hparam " + text.substr(0, text.find('=')) + " is ");
  }
  for (const char* overrides : {"num_stages=9", "norm_groups=3", "norm_groups=32", "num_blocks=0", "dropout=-1"}) {
    const std::string text(overrides);
    check_refused(make_resnet_model, with(resnet_hparams(), text), kMnist, ExitCode::usage,
                  "hparam " + text.substr(0, text.find('=')) + " is ");
  }
}

}  // namespace
}  // namespace lockstep
