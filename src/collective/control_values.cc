#include "collective/control_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "base/error.h"

namespace lockstep {
namespace {

// The words: loss limbs, weight limbs, stop votes, and how many shares were not finite.
constexpr int kLimbs = 7;
constexpr int kLimbBits = 12;      // 4096 limbs below 2^12 add up below 2^24, where float32 counts exactly
constexpr int kFractionBits = 48;  // leaves 7 * 12 - 48 = 36 bits before the point
constexpr std::size_t kStopVotes = std::size_t{2} * kLimbs;
constexpr std::size_t kNotFinite = kStopVotes + 1;
static_assert(kNotFinite + 1 == ControlValues::kWords);

using Limbs = std::span<float, kLimbs>;
using LimbSums = std::span<const float, kLimbs>;

double limb_unit(std::size_t limb) { return std::ldexp(1.0, static_cast<int>(limb) * kLimbBits - kFractionBits); }

bool fits(double value) { return std::abs(value) < limb_unit(kLimbs); }  // false for NaN

// Every step is exact: a float64 has 53 bits, and taking the leading ones away leaves a float64.
void encode_fixed(double value, Limbs limbs) {
  double rest = std::ldexp(std::nearbyint(std::ldexp(value, kFractionBits)), -kFractionBits);
  for (std::size_t limb = kLimbs; limb-- > 0;) {
    limbs[limb] = static_cast<float>(std::trunc(rest / limb_unit(limb)));
    rest -= double{limbs[limb]} * limb_unit(limb);
  }
}

double decode_fixed(LimbSums sums) {
  double value = 0;
  for (std::size_t limb = 0; limb < kLimbs; ++limb) value += double{sums[limb]} * limb_unit(limb);
  return value;
}

}  // namespace

void ControlValues::encode(std::span<float, kWords> words) const {
  LS_CHECK(0 <= stop_votes && stop_votes < (1 << kLimbBits), fmt::format("{} stop votes of one share", stop_votes));
  std::ranges::fill(words, 0.0F);
  words[kStopVotes] = static_cast<float>(stop_votes);
  if (!fits(loss) || !fits(weight)) {
    words[kNotFinite] = 1;
    return;
  }
  encode_fixed(loss, words.first<kLimbs>());
  encode_fixed(weight, words.subspan<kLimbs, kLimbs>());
}

ControlValues ControlValues::decode(std::span<const float, kWords> sums) {
  ControlValues values;
  values.loss = decode_fixed(sums.first<kLimbs>());
  values.weight = decode_fixed(sums.subspan<kLimbs, kLimbs>());
  values.stop_votes = std::llround(sums[kStopVotes]);
  if (sums[kNotFinite] != 0) values.loss = values.weight = std::numeric_limits<double>::quiet_NaN();
  return values;
}

}  // namespace lockstep
