#include "model/transformer/stack.h"

#include <fmt/format.h>

#include "model/transformer/sublayer.h"

namespace lockstep {
namespace {

// Vaswani et al. 2017, section 3.3: each row by itself.
LayerPointer make_feed_forward(const TransformerOptions& options, const StackPlace& place) {
  std::vector<LayerPointer> layers;
  layers.push_back(make_linear({.outputs = options.filter_size,
                                .kernel = kernel_values(options, options.hidden_size, options.filter_size),
                                .name = place.name + "/in",
                                .has_bias = options.feed_forward_has_bias()}));
  layers.push_back(make_activation(options.activation));
  layers.push_back(make_dropout(options.inner_dropout));
  layers.push_back(make_linear({.outputs = options.hidden_size,
                                .kernel = residual_values(options, options.filter_size, place.layers),
                                .name = place.name + "/out",
                                .has_bias = options.feed_forward_has_bias()}));
  return make_sequential(std::move(layers));
}

// One side's layers, as a list that grows.
class Stack {
 public:
  Stack(const TransformerOptions& options, std::string side, std::int64_t layers)
      : options_(options), side_(std::move(side)), layers_(layers) {}

  StackPlace place(std::int64_t layer, const char* kind) const {
    return {.name = fmt::format("{}/layer_{}/{}", side_, layer, kind), .layers = layers_};
  }
  void add(const StackPlace& place, LayerPointer body) {
    list_.push_back(make_sublayer(options_, place.name, std::move(body)));
  }
  LayerPointer finish() {
    if (options_.norm_before) list_.push_back(make_layer_norm(options_.norm(side_ + "/norm")));
    return make_sequential(std::move(list_));
  }

 private:
  const TransformerOptions& options_;
  std::string side_;
  std::int64_t layers_;
  std::vector<LayerPointer> list_;
};

}  // namespace

LayerPointer make_encoder_stack(const TransformerOptions& options) {
  Stack stack(options, "encoder", options.encoder_layers);
  for (std::int64_t i = 0; i < options.encoder_layers; ++i) {
    const StackPlace attention = stack.place(i, "self_attention");
    stack.add(attention, make_self_attention(options, attention, Sees::all));
    const StackPlace feed_forward = stack.place(i, "ffn");
    stack.add(feed_forward, make_feed_forward(options, feed_forward));
  }
  return stack.finish();
}

LayerPointer make_decoder_stack(const TransformerOptions& options, EncoderRows* encoder) {
  Stack stack(options, "decoder", options.decoder_layers);
  for (std::int64_t i = 0; i < options.decoder_layers; ++i) {
    const StackPlace attention = stack.place(i, "self_attention");
    stack.add(attention, make_self_attention(options, attention, Sees::rows_before));
    if (encoder != nullptr) {
      const StackPlace to_encoder = stack.place(i, "encdec_attention");
      stack.add(to_encoder, make_cross_attention(options, to_encoder, *encoder));
    }
    const StackPlace feed_forward = stack.place(i, "ffn");
    stack.add(feed_forward, make_feed_forward(options, feed_forward));
  }
  return stack.finish();
}

}  // namespace lockstep
