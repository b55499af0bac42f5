#include "tensor/cpu/tile_packing.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/multiversion.h"

#if defined(__x86_64__) && !defined(__clang__)
#include <immintrin.h>

namespace lockstep::cpu {
namespace {

#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")

using Values [[gnu::vector_size(32)]] = std::uint16_t;
using Pairs [[gnu::vector_size(64)]] = std::uint32_t;  // of neighbouring k, one of each of 16 lines or 16 of one line

struct TileRows {
  Pairs row[kTileSide];
};

// The first `count` bits; count may be negative or too large.
LS_INLINE std::uint32_t first_bits(std::int64_t count) {
  return count >= 32 ? ~0U : (1U << std::max<std::int64_t>(count, 0)) - 1;
}

// A tile's rows are lines, their lanes pairs of k.
LS_INLINE TileRows rows_of_lines(const TileOperand& from, std::int64_t line, std::int64_t k) {
  const __mmask32 in_k = first_bits(from.k - k);
  const BFloat16* at = from.data + line * from.k + k;
  TileRows tile;
#pragma GCC unroll 16
  for (std::int64_t i = 0; i < kTileSide; ++i, at += from.k) {
    tile.row[i] = line + i < from.lines ? reinterpret_cast<Pairs>(_mm512_maskz_loadu_epi16(in_k, at)) : Pairs{};
  }
  return tile;
}

// A tile's rows are pairs of k, their lanes lines.
LS_INLINE TileRows rows_of_pairs(const TileOperand& from, std::int64_t line, std::int64_t k) {
  const auto in_lines = static_cast<__mmask16>(first_bits(from.lines - line));
  const BFloat16* at = from.data + k * from.lines + line;
  const auto widened = [&](std::int64_t l) {
    const __m256i values = _mm256_maskz_loadu_epi16(l < from.k ? in_lines : 0, at);
    return __builtin_convertvector(reinterpret_cast<Values>(values), Pairs);
  };
  TileRows tile;
#pragma GCC unroll 16
  for (std::int64_t i = 0; i < kTileSide; ++i) {
    const Pairs first = widened(k + 2 * i);
    at += from.lines;
    tile.row[i] = first | (widened(k + 2 * i + 1) << 16);
    at += from.lines;
  }
  return tile;
}

template <std::size_t... Lane>
LS_INLINE void interleave(const Pairs& a, const Pairs& b, Pairs& low, Pairs& high,
                          std::index_sequence<Lane...> /*lanes*/) {
  low = __builtin_shufflevector(a, b, (Lane / 2 + Lane % 2 * kTileSide)...);
  high = __builtin_shufflevector(a, b, (8 + Lane / 2 + Lane % 2 * kTileSide)...);
}

// Interleaving each row with the one half the rows below it rotates the bits of (row, lane) by one; after as many
// rounds as a row's number has bits, rows and lanes have changed places.
LS_INLINE TileRows transposed(const TileRows& rows) {
  constexpr std::size_t kHalf = kTileSide / 2;
  TileRows now = rows;
#pragma GCC unroll 4
  for (int round = 0; round < 4; ++round) {
    TileRows next;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kHalf; ++i) {
      interleave(now.row[i], now.row[i + kHalf], next.row[2 * i], next.row[2 * i + 1],
                 std::make_index_sequence<kTileSide>());
    }
    now = next;
  }
  return now;
}

template <bool KIsInner, bool Transposes>
LS_INLINE void pack_tile(const TileOperand& from, std::int64_t line, std::int64_t k, std::byte* to) {
  const TileRows rows = KIsInner ? rows_of_lines(from, line, k) : rows_of_pairs(from, line, k);
  const TileRows tile = Transposes ? transposed(rows) : rows;
#pragma GCC unroll 16
  for (std::int64_t i = 0; i < kTileSide; ++i) __builtin_memcpy(to + i * 64, &tile.row[i], 64);
}

// Reads values that lie side by side in memory one after the other.
template <bool KIsInner, bool Transposes>
void pack(const TileOperand& from, const TileRange& range, std::byte* to) {
  const std::int64_t strip_bytes = (range.k_end - range.k_begin) / kTileK * 2 * kTileBytes;
  const auto pack_step = [&](std::int64_t line, std::int64_t k) {
    std::byte* const step =
        to + (line - range.line_begin) / kBlockSide * strip_bytes + (k - range.k_begin) / kTileK * 2 * kTileBytes;
    pack_tile<KIsInner, Transposes>(from, line, k, step);
    pack_tile<KIsInner, Transposes>(from, line + kTileSide, k, step + kTileBytes);
  };
  if constexpr (KIsInner) {
    for (std::int64_t line = range.line_begin; line < range.line_end; line += kBlockSide) {
      for (std::int64_t k = range.k_begin; k < range.k_end; k += kTileK) pack_step(line, k);
    }
  } else {
    for (std::int64_t k = range.k_begin; k < range.k_end; k += kTileK) {
      for (std::int64_t line = range.line_begin; line < range.line_end; line += kBlockSide) pack_step(line, k);
    }
  }
}

#pragma GCC pop_options

}  // namespace

void pack_tiles(TileSide side, const TileOperand& operand, const TileRange& range, std::byte* to) {
  if (operand.k_is_inner) {
    side == TileSide::left ? pack<true, false>(operand, range, to) : pack<true, true>(operand, range, to);
  } else {
    side == TileSide::left ? pack<false, true>(operand, range, to) : pack<false, false>(operand, range, to);
  }
}

}  // namespace lockstep::cpu

#else

namespace lockstep::cpu {

void pack_tiles(TileSide, const TileOperand&, const TileRange&, std::byte*) { LS_CHECK(false, "no tiles"); }

}  // namespace lockstep::cpu
#endif
