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

ProblemShape shape_of_text() {
  return {.sample = ProblemShape::Sample::sequence,
          .input = {},
          .target = Target::class_label,
          .outputs = 5,
          .input_type = DType::int32,
          .vocabulary = 5,
          .characters = true,
          .vocabulary_json = R"({"unit":"character","characters":"ab"})"};
}

}  // namespace

TEST_CASE("a shape of sequences says so, and carries the vocabulary of a text") {
  const ProblemShape text = shape_of_text();
  CHECK(shape_to_json(text) == R"({"sample":"sequence","input":[],"type":"int32","target":"class_label","outputs":5,)"
                               R"("vocabulary":5,"characters":true,"symbols":{"unit":"character","characters":"ab"},)"
                               R"("normalised":false})");
  CHECK(shape_from_json(shape_to_json(text)) == text);
  ProblemShape pair = text;
  pair.sample = ProblemShape::Sample::pair;
  pair.characters = false;
  pair.vocabulary_json = "";
  CHECK(shape_to_json(pair).starts_with(R"({"sample":"pair",)"));
  CHECK(shape_from_json(shape_to_json(pair)) == pair);
}

TEST_CASE("for messages a vocabulary is its digest, and others have others") {
  ProblemShape text = shape_of_text();
  const std::string first = short_shape_json(text);
  CHECK(first.find(R"("symbols":"SHA-256 )") != std::string::npos);
  CHECK(first.find("ab\"") == std::string::npos);
  text.vocabulary_json = R"({"unit":"character","characters":"ac"})";
  CHECK(short_shape_json(text) != first);
  const ProblemShape numbers{.input = {3}, .outputs = 2};
  CHECK(short_shape_json(numbers) == shape_to_json(numbers));
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
  refused(R"({"unit":"character","characters":"ab"})", "7", "'symbols' is no JSON object");
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
