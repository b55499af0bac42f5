#include "data/augmentation.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "support/check_error.h"

namespace lockstep {
namespace {

constexpr std::int64_t kHeight = 4;
constexpr std::int64_t kWidth = 5;
constexpr std::int64_t kChannels = 2;
const ProblemShape kImages{
    .input = {kHeight, kWidth, kChannels}, .target = ProblemShape::Target::class_label, .outputs = 10};

// A batch in which all values differ, and none is 0.
struct Images {
  explicit Images(std::vector<std::int64_t> numbers) : ids(std::move(numbers)) {
    values.resize(ids.size() * kHeight * kWidth * kChannels);
    std::iota(values.begin(), values.end(), 1.0F);
    const auto size = std::ssize(ids);
    batch.inputs = Tensor(values.data(), DType::float32, {size, kHeight, kWidth, kChannels});
    batch.row_ids = Tensor(ids.data(), DType::int64, {size});
  }
  float at(std::int64_t image, std::int64_t y, std::int64_t x, std::int64_t channel) const {
    return values[static_cast<std::size_t>(((image * kHeight + y) * kWidth + x) * kChannels + channel)];
  }

  std::vector<std::int64_t> ids;
  std::vector<float> values;
  Batch batch;
};

}  // namespace

TEST_CASE("every value comes from where the formula says, or is zero") {
  Augmentation augmentation(kImages, {.shift = 2, .flip = true, .seed = 7});
  std::vector<std::int64_t> ids(100);
  std::iota(ids.begin(), ids.end(), 1000);
  const Images before(ids);
  Images after(ids);
  augmentation.apply(after.batch, 3);
  for (std::int64_t i = 0; i < 100; ++i) {
    const Augmentation::Change change = augmentation.change(3, 1000 + i);
    for (std::int64_t y = 0; y < kHeight; ++y) {
      for (std::int64_t x = 0; x < kWidth; ++x) {
        const std::int64_t from_y = y - change.dy;
        const std::int64_t from_x = x - change.dx;
        const bool inside = from_y >= 0 && from_y < kHeight && from_x >= 0 && from_x < kWidth;
        for (std::int64_t c = 0; c < kChannels; ++c) {
          const float expected =
              inside ? before.at(i, from_y, change.mirrored ? kWidth - 1 - from_x : from_x, c) : 0.0F;
          REQUIRE(after.at(i, y, x, c) == expected);
        }
      }
    }
  }
}

TEST_CASE("mirrored twice is as before") {
  Augmentation augmentation(kImages, {.flip = true});
  std::vector<std::int64_t> ids(50);
  std::iota(ids.begin(), ids.end(), 0);
  Images images(ids);
  augmentation.apply(images.batch, 1);
  CHECK(images.values != Images(ids).values);
  augmentation.apply(images.batch, 1);
  CHECK(images.values == Images(ids).values);
}

TEST_CASE("what is drawn depends on seed, step and sample, and not on the place in a batch") {
  Augmentation augmentation(kImages, {.shift = 2, .flip = true, .seed = 7});
  Images together({5, 6, 7});
  Images swapped({7, 6, 5});
  augmentation.apply(together.batch, 9);
  augmentation.apply(swapped.batch, 9);
  for (std::int64_t i = 0; i < 3; ++i) {  // zeros were shifted in at the same places
    for (std::int64_t y = 0; y < kHeight; ++y) {
      for (std::int64_t x = 0; x < kWidth; ++x) {
        CHECK((together.at(i, y, x, 0) == 0) == (swapped.at(2 - i, y, x, 0) == 0));
      }
    }
  }
  const Augmentation other(kImages, {.shift = 2, .flip = true, .seed = 8});
  int same_in_other_step = 0;
  int same_with_other_seed = 0;
  const auto same = [](const Augmentation::Change& a, const Augmentation::Change& b) {
    return a.mirrored == b.mirrored && a.dx == b.dx && a.dy == b.dy ? 1 : 0;
  };
  for (std::int64_t sample = 0; sample < 1000; ++sample) {
    same_in_other_step += same(augmentation.change(1, sample), augmentation.change(2, sample));
    same_with_other_seed += same(augmentation.change(1, sample), other.change(1, sample));
  }
  CHECK(same_in_other_step < 60);  // one in fifty is expected
  CHECK(same_with_other_seed < 60);
}

TEST_CASE("every shift is as likely as the others, half of the images are mirrored") {
  const Augmentation augmentation(kImages, {.shift = 3, .flip = true});
  std::map<std::pair<std::int64_t, std::int64_t>, int> shifts;
  int mirrored = 0;
  for (std::int64_t sample = 0; sample < 49000; ++sample) {
    const Augmentation::Change change = augmentation.change(1, sample);
    ++shifts[{change.dx, change.dy}];
    mirrored += change.mirrored ? 1 : 0;
  }
  CHECK(shifts.size() == 49);
  for (const auto& [shift, times] : shifts) CHECK(std::abs(times - 1000) < 160);  // five standard deviations
  CHECK(std::abs(mirrored - 24500) < 560);
}

TEST_CASE("one of the two alone, or none") {
  const Augmentation flip(kImages, {.flip = true});
  const Augmentation shift(kImages, {.shift = 1});
  for (std::int64_t sample = 0; sample < 100; ++sample) {
    CHECK((flip.change(1, sample).dx == 0 && flip.change(1, sample).dy == 0));
    CHECK_FALSE(shift.change(1, sample).mirrored);
  }
  CHECK_FALSE(Augmentation::Options{}.any());
  CHECK(Augmentation::Options{.flip = true}.any());
}

TEST_CASE("an empty batch") {
  Augmentation augmentation(kImages, {.shift = 1});
  Images none({});
  augmentation.apply(none.batch, 1);
}

TEST_CASE("what cannot be augmented is refused") {
  check_error(ExitCode::usage, {"augment_shift is -1", "negative"}, [] { Augmentation(kImages, {.shift = -1}); });
  check_error(ExitCode::configuration, {"augment_shift is 4", "4 x 5 pixels"},
              [] { Augmentation(kImages, {.shift = 4}); });
  ProblemShape row = kImages;
  row.input = {20};
  check_error(ExitCode::configuration, {"augment_shift and augment_flip", "(20) of numbers"},
              [&] { Augmentation(row, {.flip = true}); });
}

TEST_CASE("images with their channels first are refused with the transpose to use") {
  const ProblemShape first{.input = {3, 32, 32}, .outputs = 10};
  check_error(ExitCode::configuration, {"augment_shift", "(3, 32, 32)", "inputs.transpose(0, 2, 3, 1)"},
              [&] { Augmentation(first, {.shift = 1}); });
}

}  // namespace lockstep
