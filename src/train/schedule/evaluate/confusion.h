#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep {

// Counts how often each label was predicted as each class. Counts are whole numbers, so the order in which samples and
// ranks add theirs does not matter. A plain value; pure.
class Confusion {
 public:
  // The matrix is kept for up to this many classes, as 8 MB; for more, only the figures of each class.
  static constexpr std::int64_t kMaxMatrixClasses = 1000;

  // REQUIRES: classes >= 1; labels and predictions below are in [0, classes).
  explicit Confusion(std::int64_t classes);

  void add(std::int32_t label, std::int32_t prediction);
  // Adds everything that was added to another one of as many classes, given as its counts().
  void merge(std::span<const std::int64_t> counts);
  std::span<const std::int64_t> counts() const { return counts_; }

  // Figures of a class. A share of nothing is NaN.
  struct OfClass {
    std::int64_t samples = 0;    // samples with this label
    std::int64_t predicted = 0;  // samples predicted as this class
    std::int64_t correct = 0;    // samples that are both
    double precision() const;    // share of the predicted that is correct
    double recall() const;       // share of the samples that is correct
    double f1() const;           // the harmonic mean of both
  };
  OfClass of_class(std::int64_t one) const;

  std::int64_t classes() const { return classes_; }
  bool has_matrix() const { return classes_ <= kMaxMatrixClasses; }
  // Counts of the samples with this label, by predicted class (classes). REQUIRES: has_matrix().
  std::span<const std::int64_t> row(std::int64_t label) const;

 private:
  enum Figure : std::int64_t { samples, predicted, correct, matrix };
  std::size_t place(std::int64_t figure, std::int64_t one) const;

  std::int64_t classes_;
  std::vector<std::int64_t> counts_;  // (3, classes) samples, predicted and correct; then, if kept, (classes, classes)
};

}  // namespace lockstep
