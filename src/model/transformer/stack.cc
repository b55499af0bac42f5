#include "model/transformer/stack.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "model/transformer/feed_forward.h"
#include "model/transformer/sublayer.h"

namespace lockstep {
namespace {

// Builds the list of one side's layers.
class Stack {
 public:
  Stack(const TransformerOptions& options, std::string side, std::int64_t layers, Recomputation& recomputation)
      : options_(options), side_(std::move(side)), layers_(layers), recomputation_(recomputation) {}

  StackPlace place(std::int64_t layer, const char* kind) const {
    return {.name = fmt::format("{}/layer_{}/{}", side_, layer, kind), .layers = layers_};
  }
  void add(const StackPlace& place, LayerPointer body) {
    sublayers_.push_back(make_sublayer(options_, place.name, std::move(body)));
  }
  void finish_layer() {
    list_.push_back(make_recomputed(make_sequential(std::exchange(sublayers_, {})), recomputation_));
  }
  LayerPointer finish() {
    if (options_.norm_before) list_.push_back(make_layer_norm(options_.norm_before_products(side_ + "/norm")));
    return make_sequential(std::move(list_));
  }

 private:
  const TransformerOptions& options_;
  std::string side_;
  std::int64_t layers_;
  Recomputation& recomputation_;
  std::vector<LayerPointer> sublayers_;  // sublayers of the current layer
  std::vector<LayerPointer> list_;
};

}  // namespace

LayerPointer make_encoder_stack(const TransformerOptions& options, Recomputation& recomputation) {
  Stack stack(options, "encoder", options.encoder_layers, recomputation);
  for (std::int64_t i = 0; i < options.encoder_layers; ++i) {
    const StackPlace attention = stack.place(i, "self_attention");
    stack.add(attention, make_self_attention(options, attention, Sees::all));
    const StackPlace feed_forward = stack.place(i, "ffn");
    stack.add(feed_forward, make_feed_forward(options, feed_forward));
    stack.finish_layer();
  }
  return stack.finish();
}

LayerPointer make_decoder_stack(const TransformerOptions& options, EncoderRows* encoder, Recomputation& recomputation) {
  Stack stack(options, "decoder", options.decoder_layers, recomputation);
  for (std::int64_t i = 0; i < options.decoder_layers; ++i) {
    const StackPlace attention = stack.place(i, "self_attention");
    stack.add(attention, make_self_attention(options, attention, Sees::rows_before));
    if (encoder != nullptr) {
      const StackPlace to_encoder = stack.place(i, "encdec_attention");
      stack.add(to_encoder, make_cross_attention(options, to_encoder, *encoder));
    }
    const StackPlace feed_forward = stack.place(i, "ffn");
    stack.add(feed_forward, make_feed_forward(options, feed_forward));
    stack.finish_layer();
  }
  return stack.finish();
}

}  // namespace lockstep
