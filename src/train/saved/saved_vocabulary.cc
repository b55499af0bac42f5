#include "train/saved/saved_vocabulary.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/json.h"
#include "checkpoint/format.h"
#include "data/sequences/vocabulary.h"
#include "data/sequences/vocabulary_difference.h"

namespace lockstep {
namespace {

Vocabulary saved_vocabulary(const std::string& file, const ProblemShape& saved) {
  try {
    return Vocabulary::from_json(parse_json(saved.vocabulary_json));
  } catch (const JsonError& why) {
    throw Error(
        ExitCode::bad_data,
        fmt::format("'{}': the vocabulary in its attribute {} cannot be read: {}", file, kShapeAttribute, why.what()),
        Scope::every_rank);
  }
}

}  // namespace

std::string vocabulary_change(const std::string& file, const ProblemShape& saved, const ProblemShape& here) {
  if (saved.vocabulary_json.empty() || here.vocabulary_json.empty()) return "";
  const Vocabulary old = saved_vocabulary(file, saved);
  const Vocabulary now = Vocabulary::from_json(parse_json(here.vocabulary_json));
  return old == now ? "" : vocabulary_difference(old, now);
}

}  // namespace lockstep
