#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/transformer/transformer.h"
#include "sequence_batch.h"
#include "support/counting_backend.h"

namespace lockstep {
namespace {

constexpr std::int64_t kVocabulary = 13;
constexpr std::string_view kDropout = "layer_prepostprocess_dropout=0.3,attention_dropout=0.2,relu_dropout=0.4";

enum class Kind { decoder, encoder_and_decoder };

std::unique_ptr<Model> make(Kind kind, const std::string& changes) {
  HParams hparams = kind == Kind::decoder ? transformer_lm_hparams() : transformer_hparams();
  hparams.parse("num_hidden_layers=3,hidden_size=16,filter_size=32,num_heads=2,max_length=32");
  hparams.parse(changes);
  return kind == Kind::decoder
             ? make_transformer_lm(hparams, sequence_shape(ProblemShape::Sample::sequence, kVocabulary))
             : make_transformer(hparams, sequence_shape(ProblemShape::Sample::pair, kVocabulary));
}

// Results of training steps on batches of several sizes, and the memory that they take besides the parameters.
struct Passes {
  std::vector<double> losses{};
  std::vector<std::vector<float>> gradients{};
  std::int64_t bytes = 0;
  std::int64_t products = 0;

  bool operator==(const Passes& other) const { return losses == other.losses && gradients == other.gradients; }
};

using Lengths = std::vector<SequenceBatch::Lengths>;

const Lengths kTwo{{.sample = 3, .rows = 7, .source_rows = 5}, {.sample = 8, .rows = 1, .source_rows = 9}};
const Lengths kOne{{.sample = 2, .rows = 23, .source_rows = 31}};

Passes train(Kind kind, const std::string& changes, DType products, bool recompute,
             const std::vector<Lengths>& batches = {kTwo, kOne, {}, kTwo}) {
  CountingBackend backend;
  HostAllocator allocator;
  const std::unique_ptr<Model> model = make(kind, changes);
  ParameterStore store(model->table(), allocator, allocator, DType::float32);
  initialize(backend, store, model->initializers(), 5);
  store.set_product_dtype(backend, products);
  store.update_copy(backend);
  const std::int64_t before = backend.in_use();
  if (recompute) CHECK(model->recompute());
  Passes passes;
  for (const Lengths& lengths : batches) {
    const SequenceBatch batch(lengths, kVocabulary);
    Pass pass{.backend = backend, .parameters = store, .seed = 3, .step = std::ssize(passes.losses) + 1};
    passes.losses.push_back(model->forward(batch.batch, pass)["loss"]);
    model->backward(pass);
    const auto gradients = store.gradients().span<float>();
    passes.gradients.emplace_back(gradients.begin(), gradients.end());
  }
  passes.bytes = backend.in_use() - before;
  passes.products = backend.products();
  return passes;
}

}  // namespace

TEST_CASE("a transformer that recomputes gives the same bits in less memory, dropout and all") {
  std::vector<DType> types{DType::float32};
  if (make_cpu_backend()->bfloat16_products().empty()) types.push_back(DType::bfloat16);
  for (const DType products : types) {
    for (const Kind kind : {Kind::decoder, Kind::encoder_and_decoder}) {
      for (const std::string& changes :
           {std::string(kDropout), std::string(kDropout) + ",activation=gelu,biases=all",
            std::string(kDropout) + ",layer_preprocess_sequence=none,layer_postprocess_sequence=dan",
            std::string("layer_prepostprocess_dropout=0.0,attention_dropout=0.0,relu_dropout=0.0")}) {
        CAPTURE(name(products));
        CAPTURE(changes);
        const Passes kept = train(kind, changes, products, false);
        const Passes recomputed = train(kind, changes, products, true);
        CHECK(kept == recomputed);
        CHECK(recomputed.bytes < kept.bytes);
      }
    }
  }
}

TEST_CASE("a layer of a transformer that recomputes keeps what goes in, hidden_size numbers of each row") {
  for (const Kind kind : {Kind::decoder, Kind::encoder_and_decoder}) {
    const auto bytes = [&](int layers) {
      return train(kind, std::string(kDropout) + ",biases=feed_forward,num_hidden_layers=" + std::to_string(layers),
                   DType::float32, true)
          .bytes;
    };
    const std::int64_t rows = kind == Kind::decoder ? 23 : 23 + 31;
    CHECK(bytes(5) - bytes(3) == 2 * rows * 16 * 4);
  }
}

TEST_CASE("a layer of a transformer that recomputes leaves out its last product, whose result nobody needs again") {
  for (const Kind kind : {Kind::decoder, Kind::encoder_and_decoder}) {
    for (const char* changes : {"", "layer_preprocess_sequence=none,layer_postprocess_sequence=dan"}) {
      CAPTURE(changes);
      const auto products = [&](bool recompute) {
        return train(kind, changes, DType::float32, recompute, {kTwo}).products;
      };
      // Self-attention and a feed-forward layer have two each, attention to an encoder three. A norm after the sum
      // reads it, so nothing can be left out then.
      const std::int64_t of_all = kind == Kind::decoder ? 4 : 4 + 7;
      const std::int64_t left_out = *changes != '\0' ? 0 : kind == Kind::decoder ? 1 : 2;
      CHECK(products(true) - products(false) == 3 * (of_all - left_out));
    }
  }
}

TEST_CASE("what a transformer says of the memory of its passes is what they take, but for tables of positions") {
  std::vector<DType> types{DType::float32};
  if (make_cpu_backend()->bfloat16_products().empty()) types.push_back(DType::bfloat16);
  const Lengths lengths{{.sample = 2, .rows = 31, .source_rows = 31}};
  for (const DType products : types) {
    for (const Kind kind : {Kind::decoder, Kind::encoder_and_decoder}) {
      for (const bool recompute : {false, true}) {
        for (const char* changes : {"pos=none", "pos=none,activation=gelu,filter_size=128",
                                    "pos=none,layer_preprocess_sequence=none,layer_postprocess_sequence=dan"}) {
          const std::string all = std::string(kDropout) + ",biases=feed_forward,hidden_size=64," + changes;
          CAPTURE(name(products));
          CAPTURE(all);
          CAPTURE(recompute);
          const std::unique_ptr<Model> model = make(kind, all);
          if (recompute) model->recompute();
          const auto said = model->pass_bytes(31, products);
          REQUIRE(said);
          const auto taken = static_cast<double>(train(kind, all, products, recompute, {lengths, lengths}).bytes);
          CHECK(static_cast<double>(said->activations + said->logits) == doctest::Approx(taken).epsilon(0.02));
        }
      }
    }
  }
}

}  // namespace lockstep
