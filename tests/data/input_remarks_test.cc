#include "data/input_remarks.h"

#include <doctest/doctest.h>

#include <cstring>

namespace lockstep {
namespace {

// Rows of two inputs each, in memory.
class Inputs final : public ArraySource {
 public:
  explicit Inputs(std::vector<float> values)
      : ArraySource({.name = "'x.npy'", .type = ElementType::float32, .extents = {std::ssize(values) / 2, 2}}),
        values_(std::move(values)) {}

  void read(std::int64_t first, std::int64_t count, std::span<std::byte> into) const override {
    rows_read_ += count;
    std::memcpy(into.data(), values_.data() + 2 * first, into.size());
  }

  std::int64_t rows_read() const { return rows_read_; }

 private:
  std::vector<float> values_;
  mutable std::int64_t rows_read_ = 0;
};

}  // namespace

TEST_CASE("floats that look like pixels are remarked on") {
  const auto remarks = input_remarks(Inputs({0, 3, 254, 17}));
  REQUIRE(remarks.size() == 1);
  CAPTURE(remarks[0]);
  CHECK(remarks[0].find("'x.npy': inputs are floats from 0 to 254") != std::string::npos);
  CHECK(remarks[0].find("normalize_inputs=True") != std::string::npos);
}

TEST_CASE("other floats are left alone") {
  CHECK(input_remarks(Inputs({0, 1, 0.5, 0.25})).empty());
  CHECK(input_remarks(Inputs({0, 1, 1, 0})).empty());
  CHECK(input_remarks(Inputs({0, 200, 0.5, 20})).empty());
  CHECK(input_remarks(Inputs({0, 200, 256, 20})).empty());
  CHECK(input_remarks(Inputs({-1, 200, 0, 20})).empty());
  CHECK(input_remarks(Inputs({150, 200, 180, 190})).empty());
}

TEST_CASE("the beginning is enough to look at") {
  const Inputs large(std::vector<float>(2'000'000, 0.5F));
  CHECK(input_remarks(large).empty());
  CHECK(large.rows_read() > 0);
  CHECK(large.rows_read() < 1'000'000);
}

}  // namespace lockstep
