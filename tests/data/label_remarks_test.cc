#include "data/label_remarks.h"

#include <doctest/doctest.h>

namespace lockstep {
namespace {

using Labels32 = std::vector<std::int32_t>;

std::vector<std::string> remarks(const Labels32& train, const Labels32& dev = {}, const Labels32& test = {},
                                 std::optional<std::int64_t> classes = {}) {
  return label_remarks({.train = train, .dev = dev, .test = test}, classes);
}

void check_remark(const std::string& remark, std::initializer_list<std::string> parts) {
  CAPTURE(remark);
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(remark.find(part) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("labels from 0 without gaps, all of them in training, need no remark") {
  CHECK(remarks({0, 1, 2}, {2}, {1, 1}).empty());
  CHECK(remarks({0}).empty());
}

TEST_CASE("labels that do not begin at 0") {
  const auto one = remarks({1, 3, 2}, {}, {1});
  REQUIRE(one.size() == 1);
  check_remark(one[0], {"labels are 1 to 3, none of them 0", "4 classes", "targets - 1"});
  const auto five = remarks({5, 6});
  REQUIRE(five.size() == 1);
  check_remark(five[0], {"none of them 0 to 4", "7 classes", "targets - 5"});
  const auto given = remarks({1, 2}, {3}, {}, 4);
  REQUIRE(given.size() == 2);  // the other remark is on the label that only dev has
  check_remark(given[0], {"labels are 1 to 3, none of them 0", "targets - 1 in every split, and give num_classes=3"});
  CHECK(remarks({1, 2, 3}, {}, {}, 5).empty());  // other labels may still occur
  CHECK(remarks({1, 3}, {}, {}, 4).empty());
  CHECK(remarks({0, 0}, {}, {}, 1).empty());
}

TEST_CASE("classes without a sample") {
  const auto some = remarks({0, 2, 9});
  REQUIRE(some.size() == 1);
  check_remark(some[0], {"label 1, 3, 4, 5, 6, ...: 7 of the 10 classes"});
  CHECK(remarks({0, 2, 9}, {}, {}, 10).empty());
  CHECK(remarks({0, 1, 3}, {2}).size() == 1);  // dev has one: covered by another remark
}

TEST_CASE("labels that training lacks, in each split, whatever was given") {
  for (const std::optional<std::int64_t> classes : {std::optional<std::int64_t>(), std::optional<std::int64_t>(5)}) {
    const auto found = remarks({0, 1, 3}, {3, 2, 2}, {0, 4}, classes);
    REQUIRE(found.size() == 2);
    check_remark(found[0], {"2 of the 3 dev samples", "sample 1 ", "label 2"});
    check_remark(found[1], {"1 of the 2 test samples", "sample 1 ", "label 4"});
  }
}

}  // namespace lockstep
