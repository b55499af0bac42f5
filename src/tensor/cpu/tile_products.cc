#include "tensor/cpu/tile_products.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tensor/cpu/amx_tiles.h"
#include "tensor/cpu/tile_block.h"
#include "tensor/cpu/tile_packing.h"
#include "tensor/cpu/tile_plan.h"

namespace lockstep::cpu {
namespace {

struct Range {
  std::int64_t begin, end;
};

// Calls body for [begin, end) in parts of `step`.
template <class Body>
void in_parts(const Range& whole, std::int64_t step, const Body& body) {
  for (std::int64_t begin = whole.begin; begin < whole.end; begin += step) {
    body(Range{begin, std::min(whole.end, begin + step)});
  }
}

// Offsets in scratch memory, in bytes; the panel comes first.
struct ScratchPlan {
  explicit ScratchPlan(const ProductForm& form)
      : band(TilePlan(form).panel_bytes()),
        sums(band + TilePlan(form).band_bytes()),
        bias(sums + 2 * kBlockValues * kFloat),
        all(bias + rounded_up(form.n, kBlockSide) * kFloat) {}

  static constexpr std::int64_t kFloat = sizeof(float);
  std::int64_t band, sums, bias, all;
};

// One product.
class Multiplication {
 public:
  Multiplication(const ProductForm& form, const BFloat16* a, const BFloat16* b, float* c, std::byte* scratch)
      : form_(form),
        plan_(form),
        a_{.data = a, .lines = form.m, .k = form.k, .k_is_inner = form.a_op == Transpose::no},
        b_{.data = b, .lines = form.n, .k = form.k, .k_is_inner = form.b_op == Transpose::yes},
        c_(c),
        is_streamed_(plan_.is_streamed && reinterpret_cast<std::uintptr_t>(c) % 64 == 0),
        panel_(scratch),
        band_(scratch + ScratchPlan(form).band),
        sums_(reinterpret_cast<float*>(scratch + ScratchPlan(form).sums)),
        bias_(reinterpret_cast<float*>(scratch + ScratchPlan(form).bias)),
        stream_(sums_) {}

  void run(const float* bias) {
    if (form_.has_bias) std::fill(std::copy_n(bias, form_.n, bias_), bias_ + rounded_up(form_.n, kBlockSide), 0.0F);
    const WholeTiles tiles;
    in_parts({0, rounded_up(form_.n, kBlockSide)}, plan_.panel_n, [&](const Range& n) {
      in_parts({0, rounded_up(form_.k, kTileK)}, plan_.panel_k, [&](const Range& k) { multiply_panel(n, k); });
    });
    stream_.finish();
  }

 private:
  void multiply_panel(const Range& n, const Range& k) {
    pack_tiles(TileSide::right, b_, {n.begin, n.end, k.begin, k.end}, panel_);
    in_parts({0, rounded_up(form_.m, kBlockSide)}, plan_.band_m, [&](const Range& m) {
      pack_tiles(TileSide::left, a_, {m.begin, m.end, k.begin, k.end}, band_);
      for (std::int64_t row = m.begin; row < m.end; row += kBlockSide) {
        const std::byte* const strip = band_ + bytes_of(row - m.begin, k);
        for (std::int64_t column = n.begin; column < n.end; column += kBlockSide) {
          const BlockFactors factors{strip, panel_ + bytes_of(column - n.begin, k), (k.end - k.begin) / kTileK};
          multiply(factors, start(k), row, column);
        }
      }
    });
  }

  SumsFrom start(const Range& k) const {
    if (k.begin > 0 || form_.write == Write::add) return SumsFrom::target;
    return form_.has_bias ? SumsFrom::bias : SumsFrom::zero;
  }

  void multiply(const BlockFactors& factors, SumsFrom from, std::int64_t row, std::int64_t column) {
    const BlockTarget target{c_ + row * form_.n + column, form_.n};
    const float* const bias = bias_ + column;
    const std::int64_t rows = std::min(kBlockSide, form_.m - row);
    const std::int64_t columns = std::min(kBlockSide, form_.n - column);
    if (rows < kBlockSide || columns < kBlockSide) return multiply_part(factors, from, bias, target, rows, columns);
    is_streamed_ ? stream_.multiply(factors, from, bias, target) : multiply_block(factors, from, bias, target);
  }

  // Computes a block that lies only partly in c.
  static void multiply_part(const BlockFactors& factors, SumsFrom from, const float* bias, const BlockTarget& target,
                            std::int64_t rows, std::int64_t columns) {
    alignas(64) float whole[kBlockValues] = {};
    for (std::int64_t i = 0; from == SumsFrom::target && i < rows; ++i) {
      std::copy_n(target.data + i * target.stride, columns, whole + i * kBlockSide);
    }
    multiply_block(factors, from, bias, {whole, kBlockSide});
    for (std::int64_t i = 0; i < rows; ++i) {
      std::copy_n(whole + i * kBlockSide, columns, target.data + i * target.stride);
    }
  }

  // Bytes of packed lines.
  static std::int64_t bytes_of(std::int64_t lines, const Range& k) { return lines * (k.end - k.begin) * 2; }

  const ProductForm& form_;
  TilePlan plan_;
  TileOperand a_, b_;
  float* c_;
  bool is_streamed_;
  std::byte* panel_;
  std::byte* band_;
  float* sums_;
  float* bias_;  // padded to whole blocks
  BlockStream stream_;
};

}  // namespace

void TileProducts::run(const ProductForm& form, const BFloat16* a, const BFloat16* b, const float* bias, float* c) {
  const auto bytes = static_cast<std::size_t>(ScratchPlan(form).all);
  if (bytes > scratch_.bytes()) scratch_ = allocator_.allocate(bytes);
  Multiplication(form, a, b, c, static_cast<std::byte*>(scratch_.data())).run(bias);
}

}  // namespace lockstep::cpu
