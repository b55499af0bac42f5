#include "tensor/cpu/amx_tiles.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace lockstep::cpu {
namespace {

bool ask_for_tiles() {
  constexpr unsigned kFeatures = 1U << 24 | 1U << 22;  // AMX-TILE and AMX-BF16
  constexpr long kTileData = 18;                       // among the parts of a thread's state (volume 1, 13.1)
  constexpr long kRequestPermission = 0x1023;          // ARCH_REQ_XCOMP_PERM; headers before Linux 5.16 lack it
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & kFeatures) != kFeatures) return false;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

// The operand of the instruction LDTILECFG.
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
