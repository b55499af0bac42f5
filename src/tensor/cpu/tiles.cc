#include "tensor/cpu/tiles.h"

#if defined(__x86_64__) && !defined(__clang__)
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

namespace lockstep::cpu {
namespace {

// Linux, asm/prctl.h and Documentation/arch/x86/xstate.rst: the state of tiles is too large to be there for all.
bool may_use_tiles() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

// What LDTILECFG reads.
struct alignas(64) TileConfiguration {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};
static_assert(sizeof(TileConfiguration) == 64);

constexpr TileConfiguration whole_tiles() {
  constexpr int kTiles = 8;
  TileConfiguration whole{};
  std::fill_n(std::begin(whole.row_bytes), kTiles, 64);
  std::fill_n(std::begin(whole.rows), kTiles, kTileSide);
  return whole;
}

// Not a variable of a function's: gcc takes the instruction to read its first eight bytes alone.
constexpr TileConfiguration kWholeTiles = whole_tiles();

__attribute__((target("amx-tile"))) void configure() { _tile_loadconfig(&kWholeTiles); }
__attribute__((target("amx-tile"))) void release() { _tile_release(); }

}  // namespace

bool has_tiles() {
  static const bool has = __builtin_cpu_supports("x86-64-v4") != 0 && __builtin_cpu_supports("amx-tile") != 0 &&
                          __builtin_cpu_supports("amx-bf16") != 0 && may_use_tiles();
  return has;
}

TileUse::TileUse() { configure(); }
TileUse::~TileUse() { release(); }

}  // namespace lockstep::cpu

#else

namespace lockstep::cpu {

bool has_tiles() { return false; }
TileUse::TileUse() = default;
TileUse::~TileUse() = default;

}  // namespace lockstep::cpu
#endif
