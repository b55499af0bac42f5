#include "checkpoint/shape_json.h"

#include <doctest/doctest.h>

#include "base/json.h"

namespace lockstep {
namespace {

using Target = ProblemShape::Target;

// Returns a valid text with one part replaced.
std::string with(const std::string& part, const std::string& replacement) {
  std::string text = R"({"input":[5,4],"type":"float32","target":"real","outputs":2,"normalised":true})";
  const auto at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.replace(at, part.size(), replacement);
}

}  // namespace

TEST_CASE("a shape as it stands in files") {
  CHECK(shape_to_json({.input = {28, 28, 1}, .target = Target::class_label, .outputs = 10}) ==
        R"({"input":[28,28,1],"type":"float32","target":"class_label","outputs":10,"normalised":false})");
  CHECK(shape_to_json(
            {.input = {7}, .target = Target::real, .outputs = 3, .input_type = DType::int32, .vocabulary = 8192}) ==
        R"({"input":[7],"type":"int32","target":"real","outputs":3,"vocabulary":8192,"normalised":false})");
}

TEST_CASE("a shape reads back as it was") {
  for (const Shape& input : {Shape(), Shape{3}, Shape{1, 4}, Shape{2, 3, 5, 7, 11}}) {
    for (const Target target : {Target::class_label, Target::real}) {
      const ProblemShape numbers{.input = input, .target = target, .outputs = 9, .normalised = input.rank() > 0};
      CHECK(shape_from_json(shape_to_json(numbers)) == numbers);
      const ProblemShape symbols{
          .input = input, .target = target, .outputs = 9, .input_type = DType::int32, .vocabulary = 77};
      CHECK(shape_from_json(shape_to_json(symbols)) == symbols);
    }
  }
}

TEST_CASE("mean and stddev are not in it: they are among the parameters") {
  const ProblemShape shape{.input = {4, 2}, .outputs = 3, .normalised = true};
  ProblemShape measured = shape;
  measured.input_mean = {0.5, -1};
  measured.input_stddev = {2, 3};
  CHECK(shape_to_json(measured) == shape_to_json(shape));
  CHECK(shape_from_json(shape_to_json(measured)) == shape);
}

TEST_CASE("blanks, another order, null and keys of later versions are taken") {
  const ProblemShape expected{.input = {5, 4}, .target = Target::real, .outputs = 2, .normalised = true};
  CHECK(shape_from_json(with("", "")) == expected);
  CHECK(shape_from_json(R"({"normalised": true, "outputs": 2, "vocabulary": null, "target": "real",
                            "type": "float32", "input": [5, 4], "sequences": {"longest": 9}})") == expected);
}

namespace {

// printf '{"unit":"character","characters":"ab"}' | sha256sum
const char* const kDigest = "a7134b42198e286825d1fb8da28d0742ad58281f46eea79e52e8d517f71fb15d";

ProblemShape shape_of_text() {
  return {.sample = ProblemShape::Sample::sequence,
          .input = {},
          .target = Target::class_label,
          .outputs = 5,
          .input_type = DType::int32,
          .vocabulary = 5,
          .characters = true,
          .vocabulary_digest = kDigest};
}

}  // namespace

TEST_CASE("a shape of sequences says so, and carries the digest of a text's vocabulary") {
  const ProblemShape text = shape_of_text();
  CHECK(shape_to_json(text) == R"({"sample":"sequence","input":[],"type":"int32","target":"class_label","outputs":5,)"
                               R"("vocabulary":5,"characters":true,"vocabulary_sha256":")" +
                                   std::string(kDigest) + R"(","normalised":false})");
  CHECK(shape_from_json(shape_to_json(text)) == text);
  ProblemShape pair = text;
  pair.sample = ProblemShape::Sample::pair;
  pair.characters = false;
  pair.vocabulary_digest = "";
  CHECK(shape_to_json(pair).starts_with(R"({"sample":"pair",)"));
  CHECK(shape_from_json(shape_to_json(pair)) == pair);
}

TEST_CASE("the vocabulary in a shape of version 1 gives its digest") {
  const std::string old =
      R"({"sample":"sequence","input":[],"type":"int32","target":"class_label","outputs":5,"vocabulary":5,)"
      R"("characters":true,"symbols":{"unit": "character", "characters": "ab"},"normalised":false})";
  CHECK(shape_from_json(old) == shape_of_text());
  CHECK(vocabulary_in_shape(parse_json(old)) == R"({"unit":"character","characters":"ab"})");
  CHECK(vocabulary_in_shape(parse_json(shape_to_json(shape_of_text()))).empty());
  std::string wrong = old;
  wrong.replace(wrong.find(R"({"unit")"), std::string(R"({"unit": "character", "characters": "ab"})").size(), "7");
  CHECK_THROWS_WITH_AS(shape_from_json(wrong), doctest::Contains("'symbols' is no JSON object"), JsonError);
}

TEST_CASE("a shape of sequences that is none is refused, and the key named") {
  const auto refused = [](const std::string& part, const std::string& replacement, const char* named) {
    std::string text = shape_to_json(shape_of_text());
    const auto at = text.find(part);
    REQUIRE(at != std::string::npos);
    text.replace(at, part.size(), replacement);
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(shape_from_json(text), doctest::Contains(named), JsonError);
  };
  refused(R"("sequence")", R"("tree")", "'sample' is none of row, sequence and pair");
  refused(R"("sequence")", "3", "sample");
  refused("[]", "[1]", "'sample' is sequence, but its inputs are no single symbols");
  refused(R"("characters":true)", R"("characters":1)", "'characters'");
  refused(R"("characters":true,)", "", "'characters'");
  refused('"' + std::string(kDigest) + '"', "7", "'vocabulary_sha256' is no SHA-256");
  refused(kDigest, "ab", "'vocabulary_sha256' is no SHA-256");
}

TEST_CASE("what is no shape is refused, and the key named") {
  const auto refused = [](const std::string& text, const char* named) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(shape_from_json(text), doctest::Contains(named), JsonError);
  };
  refused("", "JSON");
  refused("[]", "object");
  for (const char* key : {"input", "type", "target", "outputs", "normalised"}) {
    refused(with("\"" + std::string(key), "\"other"), key);
  }
  for (const char* input : {"28", "[5,-1]", "[5,4.0]", "[\"5\"]", "[1,1,1,1,1,1]", "[0]", "[5,0]",
                            "[4294967296,4294967296]", "[2147483648]", "[46341,46341]", "[9223372036854775807,2]"}) {
    refused(with("[5,4]", input), "input");
  }
  CHECK(shape_from_json(with("[5,4]", "[1,2147483647]")).input == Shape{1, 2147483647});
  refused(with("[5,4]", "[5,0]"), "'input' is [5,0]");
  refused(with("2,", "0,"), "'outputs' is 0");
  refused(with("2,", "2147483648,"), "'outputs' is 2147483648");
  refused(R"({"input":[5],"type":"int32","target":"real","outputs":2,"vocabulary":0,"normalised":false})",
          "vocabulary");
  refused(with("float32", "float64"), "type");
  refused(with("\"float32\"", "32"), "type");
  refused(with("real", "complex"), "target");
  refused(with("2,", "-2,"), "outputs");
  refused(with("2,", "2.5,"), "outputs");
  refused(with("true", "1"), "normalised");
  refused(with("[5,4]", "[]"), "normalised");  // no channels
  refused(with("float32", "int32"), "vocabulary");
  refused(with("2,", R"(2,"vocabulary":8,)"), "vocabulary");  // of an input of numbers
  refused(R"({"input":[5],"type":"int32","target":"real","outputs":2,"vocabulary":-8,"normalised":false})",
          "vocabulary");
  refused(R"({"input":[5],"type":"int32","target":"real","outputs":2,"vocabulary":8,"normalised":true})", "normalised");
}

}  // namespace lockstep
