#include "train/config/data_digest.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/sha256.h"

namespace lockstep {

std::string data_digest(const Problem& problem, Split split) {
  constexpr std::int64_t kSamples = 16;  // of a stream each may mean a block to read
  constexpr std::size_t kDigits = 16;
  const ProblemShape shape = problem.shape();
  const bool classes = shape.target == ProblemShape::Target::class_label;
  const bool symbols = shape.input_type == DType::int32;
  const auto elements = static_cast<std::size_t>(shape.input.elements());
  std::vector<float> input(symbols ? 0 : elements);
  std::vector<std::int32_t> ids(symbols ? elements : 0);
  std::vector<float> target(classes ? 0 : static_cast<std::size_t>(shape.outputs));
  std::int32_t label = 0;

  Sha256 sha;
  const std::int64_t count = problem.count(split);
  const std::int64_t looked_at = std::min(kSamples, count);
  for (std::int64_t i = 0; i < looked_at; ++i) {
    const std::int64_t sample = looked_at == 1 ? 0 : (count - 1) * i / (looked_at - 1);
    problem.read(split, sample, {.input = input, .label = classes ? &label : nullptr, .target = target, .ids = ids});
    sha.update(std::as_bytes(std::span(input)));
    sha.update(std::as_bytes(std::span(ids)));
    sha.update(std::as_bytes(std::span(target)));
    sha.update(std::as_bytes(std::span(&label, 1)));
  }
  return hex(sha.finish()).substr(0, kDigits);
}

}  // namespace lockstep
