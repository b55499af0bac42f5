#include "train/saved/saved_vocabulary.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/json.h"
#include "checkpoint/format.h"
#include "data/sequences/vocabulary.h"
#include "data/sequences/vocabulary_difference.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse_vocabulary(const std::string& file, const std::string& why) {
  throw Error(ExitCode::bad_data,
              fmt::format("'{}': the vocabulary in its attribute {} {}", file, kShapeAttribute, why),
              Scope::every_rank);
}

// Reads a checkpoint's vocabulary with read().
template <class Read>
auto read_vocabulary(const std::string& file, const ProblemShape& saved, Read read) {
  try {
    return read(saved.vocabulary_json);
  } catch (const JsonError& why) {
    refuse_vocabulary(file, fmt::format("cannot be read: {}", why.what()));
  }
}

}  // namespace

std::string vocabulary_change(const std::string& file, const ProblemShape& saved, const ProblemShape& here) {
  if (saved.vocabulary_json.empty() || here.vocabulary_json.empty()) return "";
  const auto vocabulary = [](const std::string& json) { return Vocabulary::from_json(parse_json(json)); };
  const Vocabulary old = read_vocabulary(file, saved, vocabulary);
  const Vocabulary now = vocabulary(here.vocabulary_json);
  return old == now ? "" : vocabulary_difference(old, now);
}

SymbolTexts saved_symbol_texts(const std::string& file, const ProblemShape& saved) {
  SymbolTexts symbols = read_vocabulary(file, saved, symbol_texts);
  if (!symbols.empty() && std::ssize(symbols.texts) != saved.outputs) {
    refuse_vocabulary(file, fmt::format("has {} symbols, and its model predicts {}; it is damaged, or was put together "
                                        "by hand",
                                        symbols.texts.size(), saved.outputs));
  }
  return symbols;
}

}  // namespace lockstep
