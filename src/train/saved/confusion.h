#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep {

// How often which label was taken for which class. Counts are whole numbers, so that the order in which samples and
// ranks add theirs does not matter. A plain value; pure.
class Confusion {
 public:
  // The matrix is kept up to this many classes, as 8 MB; of more, only what each class comes to.
  static constexpr std::int64_t kMaxMatrixClasses = 1000;

  // REQUIRES: classes >= 1; labels and predictions below are in [0, classes).
  explicit Confusion(std::int64_t classes);

  void add(std::int32_t label, std::int32_t prediction);
  // All that was added to another one of as many classes, by its counts().
  void merge(std::span<const std::int64_t> counts);
  std::span<const std::int64_t> counts() const { return counts_; }

  // What a class comes to. A share of nothing is NaN.
  struct OfClass {
    std::int64_t samples = 0;    // with this label
    std::int64_t predicted = 0;  // taken for it
    std::int64_t correct = 0;    // both
    double precision() const;    // of those that were taken for it, the share that is
    double recall() const;       // of those with the label, the share that was found
    double f1() const;           // the harmonic mean of both
  };
  OfClass of_class(std::int64_t one) const;

  std::int64_t classes() const { return classes_; }
  bool has_matrix() const { return classes_ <= kMaxMatrixClasses; }
  // The samples with this label, by what they were taken for (classes). REQUIRES: has_matrix().
  std::span<const std::int64_t> row(std::int64_t label) const;

 private:
  enum Figure : std::int64_t { samples, predicted, correct, matrix };
  std::size_t place(std::int64_t figure, std::int64_t one) const;

  std::int64_t classes_;
  std::vector<std::int64_t> counts_;  // (3, classes) samples, predicted and correct; then, if kept, (classes, classes)
};

}  // namespace lockstep
