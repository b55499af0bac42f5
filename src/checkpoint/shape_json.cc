#include "checkpoint/shape_json.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/printable.h"
#include "checkpoint/format.h"
#include "data/sequences/tokenizer.h"

namespace lockstep {
namespace {

// Limit on elements, outputs and symbols, checked before variables are allocated. Products of two then fit in 64 bits.
constexpr std::int64_t kMaxShapeCount = std::numeric_limits<std::int32_t>::max();

const char* name_of(ProblemShape::Target target) {
  return target == ProblemShape::Target::class_label ? kClassLabelTarget : kRealTarget;
}

const char* name_of(ProblemShape::Sample sample) {
  switch (sample) {
    case ProblemShape::Sample::row:
      return kRowSample;
    case ProblemShape::Sample::sequence:
      return kSequenceSample;
    case ProblemShape::Sample::pair:
      return kPairSample;
  }
  return "unknown";
}

template <class T>
const T& member(const Json& shape, const char* key, const char* kind) {
  const Json* const found = shape.find(key);
  const T* const value = found == nullptr ? nullptr : found->as<T>();
  if (value == nullptr) throw JsonError(fmt::format("it has no '{}' that is {}", key, kind));
  return *value;
}

std::int64_t count(const Json& shape, const char* key) {
  const auto value = member<std::int64_t>(shape, key, "a whole number");
  if (value < 1 || value > kMaxShapeCount) {
    throw JsonError(fmt::format("its '{}' is {}, and has to be between 1 and {}", key, value, kMaxShapeCount));
  }
  return value;
}

Shape input_from(const Json& shape) {
  const auto& list = member<Json::Array>(shape, kShapeInputKey, "a list");
  if (list.size() > Shape::kMaxRank) {
    throw JsonError(
        fmt::format("its '{}' has {} axes, and an input has at most {}", kShapeInputKey, list.size(), Shape::kMaxRank));
  }
  std::vector<std::int64_t> extents;
  std::int64_t elements = 1;
  for (const Json& element : list) {
    const auto* const extent = element.as<std::int64_t>();
    if (extent == nullptr || *extent < 1 || *extent > kMaxShapeCount / elements) {
      throw JsonError(
          fmt::format("its '{}' is {}, and has to be a list of whole numbers from 1 on whose product is at "
                      "most {}",
                      kShapeInputKey, escaped(Json(list).text()), kMaxShapeCount));
    }
    elements *= *extent;
    extents.push_back(*extent);
  }
  return Shape(extents);
}

// One of two names.
template <class T>
T choice(const Json& shape, const char* key, const char* one, T first, const char* other, T second) {
  const auto& text = member<std::string>(shape, key, "a text");
  if (text == one) return first;
  if (text == other) return second;
  throw JsonError(fmt::format("its '{}' is neither {} nor {}", key, one, other));
}

// The size of the vocabulary, which only symbols have; null counts as absent.
std::int64_t vocabulary_from(const Json& shape, DType input_type) {
  if (input_type == DType::int32) return count(shape, kShapeVocabularyKey);
  const Json* const found = shape.find(kShapeVocabularyKey);
  if (found == nullptr || found->as<std::monostate>() != nullptr) return 0;
  throw JsonError(
      fmt::format("it has a '{}', and its '{}' is {}", kShapeVocabularyKey, kShapeTypeKey, name(DType::float32)));
}

// Files older than sequences have no such member.
ProblemShape::Sample sample_from(const Json& shape) {
  using Sample = ProblemShape::Sample;
  if (shape.find(kShapeSampleKey) == nullptr) return Sample::row;
  const auto& text = member<std::string>(shape, kShapeSampleKey, "a text");
  for (const Sample sample : {Sample::row, Sample::sequence, Sample::pair}) {
    if (text == name_of(sample)) return sample;
  }
  throw JsonError(
      fmt::format("its '{}' is none of {}, {} and {}", kShapeSampleKey, kRowSample, kSequenceSample, kPairSample));
}

// Reads the members that only sequences have.
void read_sequence_members(const Json& json, ProblemShape& shape) {
  if (shape.input_type != DType::int32 || shape.input.rank() != 0) {
    throw JsonError(
        fmt::format("its '{}' is {}, but its inputs are no single symbols", kShapeSampleKey, name_of(shape.sample)));
  }
  shape.characters = member<bool>(json, kShapeCharactersKey, "true or false");
  if (const Json* const digest = json.find(kShapeDigestKey); digest != nullptr) {
    const auto* const text = digest->as<std::string>();
    if (text == nullptr || text->size() != 64 || text->find_first_not_of("0123456789abcdef") != std::string::npos) {
      throw JsonError(fmt::format("its '{}' is no SHA-256 in hex", kShapeDigestKey));
    }
    shape.vocabulary_digest = *text;
  } else if (const std::string old = vocabulary_in_shape(json); !old.empty()) {
    shape.vocabulary_digest = vocabulary_digest(old);
  }
}

}  // namespace

std::string vocabulary_in_shape(const Json& json) {
  const Json* const symbols = json.find(kShapeSymbolsKey);
  if (symbols == nullptr || symbols->as<std::monostate>() != nullptr) return "";
  if (symbols->as<Json::Object>() == nullptr) {
    throw JsonError(fmt::format("its '{}' is no JSON object", kShapeSymbolsKey));
  }
  return symbols->text();
}

std::string shape_to_json(const ProblemShape& shape) {
  Json::Object object;
  if (shape.has_sequences()) object.emplace_back(kShapeSampleKey, name_of(shape.sample));
  const auto extents = shape.input.extents();
  object.emplace_back(kShapeInputKey, Json::Array(extents.begin(), extents.end()));
  object.emplace_back(kShapeTypeKey, name(shape.input_type));
  object.emplace_back(kShapeTargetKey, name_of(shape.target));
  object.emplace_back(kShapeOutputsKey, shape.outputs);
  if (shape.input_type == DType::int32) object.emplace_back(kShapeVocabularyKey, shape.vocabulary);
  if (shape.has_sequences()) object.emplace_back(kShapeCharactersKey, shape.characters);
  if (!shape.vocabulary_digest.empty()) object.emplace_back(kShapeDigestKey, shape.vocabulary_digest);
  object.emplace_back(kShapeNormalisedKey, shape.normalised);
  return Json(std::move(object)).text();
}

ProblemShape shape_from_json(std::string_view text) {
  using Target = ProblemShape::Target;
  const Json json = parse_json(text);
  if (json.as<Json::Object>() == nullptr) throw JsonError("it is no JSON object");
  ProblemShape shape;
  shape.input = input_from(json);
  shape.input_type =
      choice(json, kShapeTypeKey, name(DType::float32), DType::float32, name(DType::int32), DType::int32);
  shape.target = choice(json, kShapeTargetKey, kClassLabelTarget, Target::class_label, kRealTarget, Target::real);
  shape.outputs = count(json, kShapeOutputsKey);
  shape.vocabulary = vocabulary_from(json, shape.input_type);
  shape.normalised = member<bool>(json, kShapeNormalisedKey, "true or false");
  if (shape.normalised && (shape.input_type != DType::float32 || shape.input.rank() == 0)) {
    throw JsonError(fmt::format("its '{}' is true, but its inputs have no channels of numbers", kShapeNormalisedKey));
  }
  shape.sample = sample_from(json);
  if (shape.has_sequences()) read_sequence_members(json, shape);
  return shape;
}

}  // namespace lockstep
