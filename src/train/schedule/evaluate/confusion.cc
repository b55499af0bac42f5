#include "train/schedule/evaluate/confusion.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "base/error.h"

namespace lockstep {
namespace {

double share(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double Confusion::OfClass::precision() const { return share(correct, predicted); }
double Confusion::OfClass::recall() const { return share(correct, samples); }
double Confusion::OfClass::f1() const { return share(2 * correct, samples + predicted); }

Confusion::Confusion(std::int64_t classes)
    : classes_(classes), counts_(static_cast<std::size_t>((matrix + (has_matrix() ? classes : 0)) * classes)) {}

std::size_t Confusion::place(std::int64_t figure, std::int64_t one) const {
  return static_cast<std::size_t>(figure * classes_ + one);
}

void Confusion::add(std::int32_t label, std::int32_t prediction) {
  ++counts_[place(samples, label)];
  ++counts_[place(predicted, prediction)];
  if (label == prediction) ++counts_[place(correct, label)];
  if (has_matrix()) ++counts_[place(matrix + label, prediction)];
}

void Confusion::merge(std::span<const std::int64_t> counts) {
  LS_CHECK(counts.size() == counts_.size(), "counts of another number of classes");
  std::ranges::transform(counts_, counts, counts_.begin(), std::plus());
}

Confusion::OfClass Confusion::of_class(std::int64_t one) const {
  return {.samples = counts_[place(samples, one)],
          .predicted = counts_[place(predicted, one)],
          .correct = counts_[place(correct, one)]};
}

std::span<const std::int64_t> Confusion::row(std::int64_t label) const {
  LS_CHECK(has_matrix(), "no matrix of that many classes is kept");
  return std::span(counts_).subspan(place(matrix + label, 0), static_cast<std::size_t>(classes_));
}

}  // namespace lockstep
