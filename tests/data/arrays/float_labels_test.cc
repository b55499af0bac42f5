#include "data/arrays/float_labels.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "data/arrays/array_blocks.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

// Targets in memory that count the rows read.
class Targets final : public ArraySource {
 public:
  Targets(const Shape& extents, std::vector<float> values)
      : ArraySource({.name = "'t.npy'", .type = ElementType::float32, .extents = extents}),
        values_(std::move(values)) {}

  void read(std::int64_t first, std::int64_t count, std::span<std::byte> into) const override {
    rows_read_ += count;
    std::memcpy(into.data(), values_.data() + first * form().row_elements(), into.size());
  }

  std::int64_t rows_read() const { return rows_read_; }

 private:
  std::vector<float> values_;
  mutable std::int64_t rows_read_ = 0;
};

void accepted(const std::vector<float>& values) {
  CHECK_NOTHROW(refuse_float_labels(Targets({std::ssize(values)}, values)));
}

void refused(const Shape& extents, const std::vector<float>& values, std::initializer_list<std::string> parts) {
  check_error(ExitCode::bad_data, parts, [&] { refuse_float_labels(Targets(extents, values)); });
}

}  // namespace

TEST_CASE("whole numbers from 0 on look like labels, as a column or as rows of one") {
  const std::vector<float> labels{0, 2, 1, 1, 0, 2};
  for (const Shape& extents : {Shape{6}, Shape{6, 1}}) {
    refused(extents, labels, {"'t.npy'", "all 6 targets", "from 0 to 2", "astype('int32')", "loss=mean_squared_error"});
  }
  refused({4}, {1, 0, 1, 0}, {"from 0 to 1"});
  refused({4}, {1, 1, 1, 1}, {"from 1 to 1"});
  refused({8}, {1, 3, 2, 2, 1, 3, 2, 1}, {"from 1 to 3", "numpy's (targets - 1).astype('int32')"});
}

TEST_CASE("numbers to predict: a fraction, a sign, a large one, as many as samples, or none but 0") {
  accepted({0, 2, 1, 1, 0, 2, 0.5});
  accepted({0, 1, -1, 1, 0, -1});
  accepted({0, 1, 1000, 1, 0, 1});
  accepted({0, 1, 2, 3, 1});
  accepted({0, 0, 0, 0});
  accepted({0, 1, std::numeric_limits<float>::quiet_NaN(), 1});
  accepted({0, 1, std::numeric_limits<float>::infinity(), 1});
}

TEST_CASE("one-hot rows look like labels") {
  refused({3, 2}, {1, 0, 0, 1, 0, 1}, {"'t.npy'", "a single 1 among 1 zeros", "argmax(1)", "mean_squared_error"});
  CHECK_NOTHROW(refuse_float_labels(Targets({3, 2}, {1, 0, 0, 1, 1, 1})));
  CHECK_NOTHROW(refuse_float_labels(Targets({3, 2}, {1, 0, 0, 1, 0, 0})));
  CHECK_NOTHROW(refuse_float_labels(Targets({3, 2}, {1, 0, 0, 1, 0, 0.9F})));
}

TEST_CASE("the first sample that shows otherwise ends the reading, however far back it is") {
  std::vector<float> values(700'001, 1.0F);
  const Shape extents{std::ssize(values)};
  const Targets labels(extents, values);
  check_error(ExitCode::bad_data, {"700001 targets"}, [&] { refuse_float_labels(labels); });
  CHECK(labels.rows_read() == 700'001);
  values[3] = 0.5F;
  const Targets numbers(extents, values);
  refuse_float_labels(numbers);
  CHECK(numbers.rows_read() == block_rows(numbers.form()));
  values[3] = 1;
  values.back() = 0.5F;
  accepted(values);
}

}  // namespace lockstep
