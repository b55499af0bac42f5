#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/parameter_store.h"
#include "tensor/batch.h"

namespace lockstep {

// A second implementation of tensor2tensor's transformer_base, for one pair of sequences, in float64 and regardless of
// speed: the reference for the model's results. Rows are vectors.
class NaiveTransformer {
 public:
  using Row = std::vector<double>;
  using Rows = std::vector<Row>;
  using Symbols = std::vector<std::int32_t>;

  NaiveTransformer(const ParameterStore& store, std::size_t heads, int layers)
      : store_(store), heads_(heads), layers_(layers) {}

  // Returns the losses of the targets. A symbol 0 of the source is masked.
  Row losses(const std::vector<std::int32_t>& source, const std::vector<std::int32_t>& inputs,
             const std::vector<std::int32_t>& targets) const {
    const Rows encoded = encode(source);
    Rows x = embed(inputs);
    for (int i = 0; i < layers_; ++i) {
      const std::string layer = "decoder/layer_" + std::to_string(i);
      const Rows own = norm(x, layer + "/self_attention/norm");
      add(attend(own, own, layer + "/self_attention/qkv", layer + "/self_attention/qkv", 1, kCausal),
          layer + "/self_attention/output", x);
      const Rows queries = norm(x, layer + "/encdec_attention/norm");
      add(attend(queries, encoded, layer + "/encdec_attention/q", layer + "/encdec_attention/kv", 0, source),
          layer + "/encdec_attention/output", x);
      feed_forward(layer, x);
    }
    x = norm(x, "decoder/norm");
    Row losses;
    const Rows table = variable("symbols/table");
    for (std::size_t i = 0; i < x.size(); ++i) {
      double sum = 0;
      for (const Row& symbol : table) sum += std::exp(dot(x[i], symbol));
      losses.push_back(std::log(sum) - dot(x[i], table[static_cast<std::size_t>(targets[i])]));
    }
    return losses;
  }

 private:
  inline static const Symbols kCausal{};

  static double dot(const Row& a, const Row& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }

  Rows encode(const std::vector<std::int32_t>& source) const {
    Rows x = embed(source);
    const Row space = variable("encoder/target_space/table")[0];
    for (Row& row : x) {
      for (std::size_t c = 0; c < row.size(); ++c) row[c] += space[c];
    }
    for (int i = 0; i < layers_; ++i) {
      const std::string layer = "encoder/layer_" + std::to_string(i);
      const Rows own = norm(x, layer + "/self_attention/norm");
      add(attend(own, own, layer + "/self_attention/qkv", layer + "/self_attention/qkv", 1, source),
          layer + "/self_attention/output", x);
      feed_forward(layer, x);
    }
    return norm(x, "encoder/norm");
  }

  // Returns a variable's rows; one row if it has one axis.
  Rows variable(const std::string& name) const {
    for (std::size_t i = 0; i < store_.table().variables().size(); ++i) {
      if (store_.table().variables()[i].name != name) continue;
      const Tensor value = store_.value(static_cast<int>(i));
      const std::int64_t width = value.shape()[value.shape().rank() - 1];
      Rows rows;
      for (std::int64_t at = 0; at < value.count(); at += width) {
        rows.emplace_back(value.as<float>() + at, value.as<float>() + at + width);
      }
      return rows;
    }
    throw Error(ExitCode::internal, "no variable " + name);
  }

  Rows embed(const std::vector<std::int32_t>& symbols) const {
    const Rows table = variable("symbols/table");
    const std::size_t width = table[0].size();
    Rows rows;
    for (std::size_t p = 0; p < symbols.size(); ++p) {
      Row row(width);
      for (std::size_t c = 0; c < width; ++c) {
        const double symbol = symbols[p] == 0 ? 0 : table[static_cast<std::size_t>(symbols[p])][c];
        const std::size_t half = width / 2;
        const double angle =
            static_cast<double>(p) * std::pow(10000, -static_cast<double>(c % half) / (static_cast<double>(half) - 1));
        row[c] = symbol * std::sqrt(static_cast<double>(width)) + (c < half ? std::sin(angle) : std::cos(angle));
      }
      rows.push_back(row);
    }
    return rows;
  }

  Rows norm(const Rows& x, const std::string& name) const {
    const Row scale = variable(name + "/scale")[0];
    const Row shift = variable(name + "/shift")[0];
    Rows to = x;
    for (Row& row : to) {
      const auto width = static_cast<double>(row.size());
      double mean = 0;
      double variance = 0;
      for (const double value : row) mean += value / width;
      for (const double value : row) variance += (value - mean) * (value - mean) / width;
      for (std::size_t c = 0; c < row.size(); ++c) {
        row[c] = (row[c] - mean) / std::sqrt(variance + 1e-6) * scale[c] + shift[c];
      }
    }
    return to;
  }

  // Returns columns [from, from + width) of a product.
  static Rows product(const Rows& x, const Rows& kernel, std::size_t from, std::size_t width) {
    Rows to(x.size(), Row(width));
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t c = 0; c < width; ++c) {
        for (std::size_t k = 0; k < kernel.size(); ++k) to[i][c] += x[i][k] * kernel[k][from + c];
      }
    }
    return to;
  }

  // first: index of the keys' part of the second kernel. symbols: those of the keys, where 0 masks; kCausal: a row sees
  // itself and the rows before it.
  Rows attend(const Rows& x, const Rows& seen, const std::string& q_name, const std::string& kv_name, std::size_t first,
              const Symbols& symbols) const {
    const std::size_t width = x[0].size();
    const std::size_t head_width = width / heads_;
    const Rows kv_kernel = variable(kv_name + "/kernel");
    const Rows q = product(x, variable(q_name + "/kernel"), 0, width);
    const Rows k = product(seen, kv_kernel, first * width, width);
    const Rows v = product(seen, kv_kernel, (first + 1) * width, width);
    Rows to(x.size(), Row(width));
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t c = 0; c < width; ++c) {
        const std::size_t head = c / head_width * head_width;
        double sum = 0;
        for (std::size_t j = 0; j < seen.size(); ++j) {
          if (symbols == kCausal ? j > i : symbols[j] == 0) continue;
          double logit = 0;
          for (std::size_t h = head; h < head + head_width; ++h) logit += q[i][h] * k[j][h];
          const double weight = std::exp(logit / std::sqrt(static_cast<double>(head_width)));
          sum += weight;
          to[i][c] += weight * v[j][c];
        }
        if (sum > 0) to[i][c] /= sum;
      }
    }
    return to;
  }

  void add(const Rows& inner, const std::string& name, Rows& x) const {
    const Rows to = product(inner, variable(name + "/kernel"), 0, x[0].size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t c = 0; c < x[i].size(); ++c) x[i][c] += to[i][c];
    }
  }

  void feed_forward(const std::string& layer, Rows& x) const {
    const Rows kernel = variable(layer + "/ffn/in/kernel");
    Rows inner = product(norm(x, layer + "/ffn/norm"), kernel, 0, kernel[0].size());
    const Row bias = variable(layer + "/ffn/in/bias")[0];
    for (Row& row : inner) {
      for (std::size_t c = 0; c < row.size(); ++c) row[c] = std::max(0.0, row[c] + bias[c]);
    }
    add(inner, layer + "/ffn/out", x);
    const Row out_bias = variable(layer + "/ffn/out/bias")[0];
    for (Row& row : x) {
      for (std::size_t c = 0; c < row.size(); ++c) row[c] += out_bias[c];
    }
  }

  const ParameterStore& store_;
  std::size_t heads_;
  int layers_;
};

}  // namespace lockstep
