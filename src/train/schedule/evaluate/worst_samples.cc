#include "train/schedule/evaluate/worst_samples.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace lockstep {
namespace {

bool is_worse(const WorstSample& one, const WorstSample& other) {
  return one.loss != other.loss ? one.loss > other.loss : one.sample < other.sample;
}

}  // namespace

bool WorstSamples::takes(double loss, std::int64_t sample) const {
  if (samples_.size() < most_) return true;
  return most_ > 0 && is_worse({.loss = loss, .sample = sample}, samples_.back());
}

void WorstSamples::add(WorstSample one) {
  LS_CHECK(one.values.size() == values_each_, "a sample with another number of values");
  if (!takes(one.loss, one.sample)) return;
  const auto place = std::ranges::upper_bound(samples_, one, is_worse);
  samples_.insert(place, std::move(one));
  if (samples_.size() > most_) samples_.pop_back();
}

std::vector<double> WorstSamples::packed() const {
  std::vector<double> numbers;
  for (const WorstSample& one : samples_) {
    numbers.insert(numbers.end(), {one.loss, static_cast<double>(one.sample)});
    numbers.insert(numbers.end(), one.values.begin(), one.values.end());
  }
  return numbers;
}

void WorstSamples::merge(std::span<const double> packed) {
  const std::size_t width = 2 + values_each_;
  LS_CHECK(packed.size() % width == 0, "samples with another number of values");
  for (; !packed.empty(); packed = packed.subspan(width)) {
    const auto values = packed.subspan(2, values_each_);
    add({.loss = packed[0],
         .sample = static_cast<std::int64_t>(packed[1]),
         .values = std::vector<double>(values.begin(), values.end())});
  }
}

}  // namespace lockstep
