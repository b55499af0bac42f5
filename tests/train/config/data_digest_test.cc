#include "train/config/data_digest.h"

#include <doctest/doctest.h>

#include <vector>

namespace lockstep {
namespace {

// Samples of two numbers; the last label may be changed.
class Pairs final : public Problem {
 public:
  Pairs(std::int64_t count, float scale, std::int32_t last) : count_(count), scale_(scale), last_(last) {}
  ProblemShape shape() const override { return {.input = {2}, .outputs = 5}; }
  std::int64_t count(Split split) const override { return split == Split::dev ? 0 : split == Split::test ? 3 : count_; }
  void read(Split split, std::int64_t sample, const SampleSlot& slot) const override {
    slot.input[0] = scale_ * static_cast<float>(sample);
    slot.input[1] = 1;
    *slot.label = sample + 1 == count(split) ? last_ : 0;
  }

 private:
  std::int64_t count_;
  float scale_;
  std::int32_t last_;
};

}  // namespace

TEST_CASE("the digest is that of the data: inputs and targets, the first and the last sample among them") {
  const std::string digest = data_digest(Pairs(100, 1, 3), Split::train);
  CHECK(digest.size() == 16);
  CHECK(data_digest(Pairs(100, 1, 3), Split::train) == digest);
  CHECK(data_digest(Pairs(100, 2, 3), Split::train) != digest);
  CHECK(data_digest(Pairs(100, 1, 4), Split::train) != digest);
  CHECK(data_digest(Pairs(1, 1, 3), Split::train) != data_digest(Pairs(1, 1, 4), Split::train));
  CHECK(data_digest(Pairs(2, 1, 3), Split::train) != data_digest(Pairs(3, 1, 3), Split::train));
  CHECK(data_digest(Pairs(100, 1, 3), Split::test) != digest);
  CHECK(data_digest(Pairs(100, 1, 4), Split::test) != data_digest(Pairs(100, 1, 3), Split::test));
  CHECK(data_digest(Pairs(100, 1, 3), Split::dev) == data_digest(Pairs(7, 2, 4), Split::dev));  // both empty
}

}  // namespace lockstep
