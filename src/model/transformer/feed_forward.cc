#include "model/transformer/feed_forward.h"

#include "model/activated_linear.h"

namespace lockstep {

LayerPointer make_feed_forward(const TransformerOptions& options, const StackPlace& place) {
  auto in =
      std::make_unique<Linear>(LinearOptions{.outputs = options.filter_size,
                                             .kernel = kernel_values(options, options.hidden_size, options.filter_size),
                                             .name = place.name + "/in",
                                             .has_bias = options.feed_forward_has_bias()});
  std::vector<LayerPointer> layers;
  layers.push_back(std::make_unique<ActivatedLinear>(
      std::move(in), ActivatedLinearOptions{
                         .activation = options.activation, .dropout = options.inner_dropout, .feeds_products = true}));
  layers.push_back(make_linear({.outputs = options.hidden_size,
                                .kernel = residual_values(options, options.filter_size, place.layers),
                                .name = place.name + "/out",
                                .has_bias = options.feed_forward_has_bias()}));
  return make_sequential(std::move(layers));
}

}  // namespace lockstep
