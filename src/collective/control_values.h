#pragma once

#include <cstdint>
#include <span>

namespace lockstep {

// Values that the ranks exchange in every step before the gradients.
struct ControlValues {
  double loss = 0;            // sum of weight * loss over this rank's samples
  double weight = 0;          // sum of weights
  std::int64_t requests = 0;  // number of shares, and of ranks without one, that ask for an exchange of requests

  // encode() writes float32 words whose sums are exact and do not depend on the order of summing, so that control
  // values may travel through any float32 all-reduce, also the tree of --exact: the loss becomes a fixed-point number
  // of 2^-48 in eight signed limbs of 12 bits, the weight one of 2^-36 in six. The sums of up to kMaxShares shares are
  // exact for losses below 2^48 and weights below 2^36; what is rounded is each share's value to its unit, and the sum
  // to float64 by decode(). A loss or weight beyond that, infinite or NaN, marks the sum as not finite.
  // REQUIRES: 0 <= requests <= 4095.
  static constexpr int kMaxShares = 4096;
  static constexpr int kWords = 16;  // one cache line
  void encode(std::span<float, kWords> words) const;
  static ControlValues decode(std::span<const float, kWords> sums);  // loss and weight NaN if a rank's were not finite
};

}  // namespace lockstep
