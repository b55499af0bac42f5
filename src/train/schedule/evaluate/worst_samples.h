#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep {

// A sample with a large loss.
struct WorstSample {
  double loss = 0;
  std::int64_t sample = 0;       // number in the split
  std::vector<double> values{};  // values to show
};

// Keeps the added samples with the largest loss; of equal losses the lower numbers. The result does not depend on the
// order in which samples and ranks add theirs. A plain value; pure.
class WorstSamples {
 public:
  // values_each: number of values of a sample.
  WorstSamples(std::size_t most, std::size_t values_each) : most_(most), values_each_(values_each) {}

  // Returns whether add() would keep it. REQUIRES: the loss is not NaN.
  bool takes(double loss, std::int64_t sample) const;
  void add(WorstSample one);
  const std::vector<WorstSample>& samples() const { return samples_; }  // the worst first

  // The samples as plain numbers, to be sent: each sample's loss, number (exact up to 2^53) and values.
  std::vector<double> packed() const;
  void merge(std::span<const double> packed);

 private:
  std::size_t most_;
  std::size_t values_each_;
  std::vector<WorstSample> samples_{};
};

}  // namespace lockstep
