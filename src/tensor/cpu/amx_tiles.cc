#include "tensor/cpu/amx_tiles.h"

#if defined(__x86_64__) && !defined(__clang__)
#include <asm/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace lockstep::cpu {
namespace {

bool ask_for_tiles() {
  constexpr long kTileData = 18;  // its number among the parts of a thread's state (Intel SDM, volume 1, table 13-1)
  if (!__builtin_cpu_supports("amx-tile") || !__builtin_cpu_supports("amx-bf16")) return false;
  return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, kTileData) == 0;
}

// What the instruction LDTILECFG reads.
struct alignas(64) Configuration {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(Configuration) == 64);
constexpr Configuration kWhole;

}  // namespace

bool has_bfloat16_tiles() {
  static const bool has = ask_for_tiles();
  return has;
}

WholeTiles::WholeTiles() { asm volatile("ldtilecfg %0" : : "m"(kWhole)); }
WholeTiles::~WholeTiles() { asm volatile("tilerelease"); }

}  // namespace lockstep::cpu

#else

namespace lockstep::cpu {

bool has_bfloat16_tiles() { return false; }
WholeTiles::WholeTiles() = default;
WholeTiles::~WholeTiles() = default;

}  // namespace lockstep::cpu
#endif
