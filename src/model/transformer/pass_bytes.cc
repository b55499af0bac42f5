#include "model/transformer/pass_bytes.h"

#include <algorithm>
#include <vector>

namespace lockstep {
namespace {

constexpr std::int64_t kFloat = 4;
constexpr std::int64_t kStatistics = 2;  // per row, of a norm

// Bytes for each row of a stack, and for each row of the source that it reads.
struct RowBytes {
  std::int64_t own = 0;
  std::int64_t of_source = 0;
};

// Bytes that a sublayer's forward pass keeps, and that its backward pass needs while it lasts.
struct SublayerBytes {
  RowBytes kept{};
  RowBytes gradients{};
};

class Count {
 public:
  Count(const TransformerOptions& options, const PassSizes& sizes)
      : options_(options),
        sizes_(sizes),
        width_(options.hidden_size * kFloat),
        operand_(sizes.products == DType::float32 ? 0 : size_of(sizes.products) * options.hidden_size) {}

  SublayerBytes self_attention() const {
    return around({.kept = {.own = 4 * width_ + of_product() + sums() + copy_of_input()},
                   .gradients = {.own = 2 * width_ + 3 * of_product() + operand_}});
  }
  SublayerBytes cross_attention() const {
    return around({.kept = {.own = 2 * width_ + of_product() + sums() + copy_of_input(),
                            .of_source = 2 * width_ + copy_of_input()},
                   .gradients = {.own = 2 * width_ + of_product() + operand_, .of_source = width_ + 2 * of_product()}});
  }
  // A ReLU is computed in place, and so is dropout; without dropout, the next product's operand is written at once.
  SublayerBytes feed_forward() const {
    const std::int64_t inside = options_.filter_size * kFloat;
    const std::int64_t operand = operand_ / options_.hidden_size * options_.filter_size;
    const bool in_place = options_.activation == Activation::relu || (operand > 0 && options_.inner_dropout == 0);
    return around({.kept = {.own = (in_place ? 1 : 2) * inside + operand + width_ + copy_of_input()},
                   .gradients = {.own = inside + width_ + operand_ + operand}});
  }

  // kept(): bytes that the passes over these layers of sublayers keep; working(): the most that one needs while it
  // lasts.
  std::int64_t kept(const std::vector<SublayerBytes>& layer, std::int64_t layers, std::int64_t rows) const {
    const std::int64_t around_layers = (width_ + (options_.norm_before ? normed() : 0)) * rows;  // and the last norm
    if (sizes_.recomputed) return around_layers + layers * width_ * rows;
    return around_layers + layers * forward(layer, rows);
  }
  std::int64_t working(const std::vector<SublayerBytes>& layer, std::int64_t rows) const {
    std::int64_t most = 0;
    for (const SublayerBytes& one : layer) most = std::max(most, bytes(one.gradients, rows));
    return most + (sizes_.recomputed ? restored(layer, rows) : 0);
  }

  std::int64_t through() const { return width_ * sizes_.rows; }  // the gradient passed through a stack
  std::int64_t of_encoder() const { return width_ * sizes_.source_rows; }
  std::int64_t of_output() const { return copy_of_input() * sizes_.rows; }

 private:
  SublayerBytes around(SublayerBytes body) const {
    if (options_.norm_before) body.kept.own += normed();
    if (options_.norm_after) body.kept.own += width_ + kStatistics * kFloat;
    body.gradients.own += options_.layer_dropout > 0 ? width_ : 0;
    return body;
  }
  // Products without a norm before them take a copy.
  std::int64_t normed() const { return of_product() + kStatistics * kFloat; }
  std::int64_t copy_of_input() const { return options_.norm_before ? 0 : operand_; }
  // Results of norms and attention, and gradients of queries, keys and values, are written in the operand type of
  // products.
  std::int64_t of_product() const { return operand_ > 0 ? operand_ : width_; }
  std::int64_t sums() const { return options_.heads * kFloat; }
  std::int64_t bytes(const RowBytes& of, std::int64_t rows) const {
    return of.own * rows + of.of_source * sizes_.source_rows;
  }
  std::int64_t forward(const std::vector<SublayerBytes>& layer, std::int64_t rows) const {
    std::int64_t sum = 0;
    for (const SublayerBytes& one : layer) sum += bytes(one.kept, rows);
    return sum;
  }
  // Bytes of a layer's forward pass that its backward pass needs: the last sum only if a norm reads it.
  std::int64_t restored(const std::vector<SublayerBytes>& layer, std::int64_t rows) const {
    return forward(layer, rows) - (options_.norm_after ? 0 : width_ * rows);
  }

  const TransformerOptions& options_;
  const PassSizes& sizes_;
  std::int64_t width_;    // bytes of a row between the layers
  std::int64_t operand_;  // the same in a copy of the products' type; 0: no copy
};

PassBytes bytes_of_passes(const TransformerOptions& options, const PassSizes& sizes) {
  const Count count(options, sizes);
  const std::int64_t logits = sizes.rows * sizes.vocabulary * kFloat;
  std::vector<SublayerBytes> layer{count.self_attention(), count.feed_forward()};
  std::int64_t activations = count.through() + count.of_output();
  std::int64_t working = 0;
  if (sizes.source_rows > 0) {
    activations += count.kept(layer, options.encoder_layers, sizes.source_rows) + count.of_encoder();
    working = std::max(working, count.working(layer, sizes.source_rows));
    layer.push_back(count.cross_attention());
  }
  activations += count.kept(layer, options.decoder_layers, sizes.rows);
  working = std::max(working, count.working(layer, sizes.rows));
  return {.activations = activations + working, .logits = logits};
}

}  // namespace

PassBytes transformer_pass_bytes(const TransformerOptions& options, const PassSizes& sizes) {
  PassBytes bytes = bytes_of_passes(options, sizes);
  if (sizes.recomputed) return bytes;
  PassSizes recomputed = sizes;
  recomputed.recomputed = true;
  bytes.recomputed = bytes_of_passes(options, recomputed).total();
  return bytes;
}

}  // namespace lockstep
