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

// The words: loss limbs, weight limbs, requests, and how many shares were not finite.
constexpr int kLimbBits = 12;  // 4096 limbs below 2^12 add up below 2^24, where float32 counts exactly
struct FixedPoint {
  std::size_t first_word;
  std::size_t limbs;
  int fraction_bits;

  double unit(std::size_t limb) const { return std::ldexp(1.0, static_cast<int>(limb) * kLimbBits - fraction_bits); }
  bool fits(double value) const { return std::abs(value) < unit(limbs); }  // false for NaN
};
// Squared errors of real targets may be large, a weight hardly exceeds the number of samples.
constexpr FixedPoint kLoss{.first_word = 0, .limbs = 8, .fraction_bits = 48};
constexpr FixedPoint kWeight{.first_word = 8, .limbs = 6, .fraction_bits = 36};
constexpr std::size_t kRequests = kLoss.limbs + kWeight.limbs;
constexpr std::size_t kNotFinite = kRequests + 1;
static_assert(kNotFinite + 1 == ControlValues::kWords);

// Every step after nearbyint() is exact: a float64 has 53 bits, and taking the leading ones away leaves a float64.
void encode_fixed(const FixedPoint& form, double value, std::span<float> words) {
  double rest = std::ldexp(std::nearbyint(std::ldexp(value, form.fraction_bits)), -form.fraction_bits);
  for (std::size_t limb = form.limbs; limb-- > 0;) {
    const double taken = std::trunc(rest / form.unit(limb));
    words[form.first_word + limb] = static_cast<float>(taken);
    rest -= taken * form.unit(limb);
  }
}

double decode_fixed(const FixedPoint& form, std::span<const float> sums) {
  double value = 0;
  for (std::size_t limb = 0; limb < form.limbs; ++limb) {
    value += double{sums[form.first_word + limb]} * form.unit(limb);
  }
  return value;
}

}  // namespace

void ControlValues::encode(std::span<float, kWords> words) const {
  LS_CHECK(0 <= requests && requests < (1 << kLimbBits), fmt::format("{} requests of one share", requests));
  std::ranges::fill(words, 0.0F);
  words[kRequests] = static_cast<float>(requests);
  if (!kLoss.fits(loss) || !kWeight.fits(weight)) {
    words[kNotFinite] = 1;
    return;
  }
  encode_fixed(kLoss, loss, words);
  encode_fixed(kWeight, weight, words);
}

ControlValues ControlValues::decode(std::span<const float, kWords> sums) {
  ControlValues values;
  values.loss = decode_fixed(kLoss, sums);
  values.weight = decode_fixed(kWeight, sums);
  values.requests = std::llround(sums[kRequests]);
  if (sums[kNotFinite] != 0) values.loss = values.weight = std::numeric_limits<double>::quiet_NaN();
  return values;
}

}  // namespace lockstep
