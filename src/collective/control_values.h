#pragma once

#include <cstdint>
#include <span>

namespace lockstep {

// What the ranks tell each other in every step beside gradients, in the same exchange as the last bucket.
struct ControlValues {
  double loss = 0;              // sum of weight * loss over this rank's samples
  double weight = 0;            // sum of weights
  std::int64_t stop_votes = 0;  // ranks that were asked to stop

  // As float32 words whose sums are exact and do not depend on the order of summing, so that control values may travel
  // through any float32 all-reduce, also the tree of --exact: each value becomes a fixed-point number of 2^-24, cut
  // into signed limbs of 12 bits. Exact for up to 4096 ranks and magnitudes below 2^35; the resolution of 2^-24 is per
  // rank. A loss or weight beyond that, infinite or NaN, marks the sum as not finite.
  static constexpr int kWords = 16;  // one cache line
  void encode(std::span<float, kWords> words) const;
  static ControlValues decode(std::span<const float, kWords> sums);  // loss and weight NaN if a rank's were not finite
};

}  // namespace lockstep
