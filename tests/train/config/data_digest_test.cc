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
  std::int64_t count(Split split) const override { return split == Split::train ? count_ : 0; }
  void read(Split /*split*/, std::int64_t sample, const SampleSlot& slot) const override {
    slot.input[0] = scale_ * static_cast<float>(sample);
    slot.input[1] = 1;
    *slot.label = sample + 1 == count_ ? last_ : 0;
  }

 private:
  std::int64_t count_;
  float scale_;
  std::int32_t last_;
};

}  // namespace

TEST_CASE("the digest is that of the data: inputs and targets, the first and the last sample among them") {
  const std::string digest = data_digest(Pairs(100, 1, 3));
  CHECK(digest.size() == 16);
  CHECK(data_digest(Pairs(100, 1, 3)) == digest);
  CHECK(data_digest(Pairs(100, 2, 3)) != digest);
  CHECK(data_digest(Pairs(100, 1, 4)) != digest);
  CHECK(data_digest(Pairs(1, 1, 3)) != data_digest(Pairs(1, 1, 4)));
  CHECK(data_digest(Pairs(2, 1, 3)) != data_digest(Pairs(3, 1, 3)));
}

}  // namespace lockstep
