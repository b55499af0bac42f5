#include "train/saved/saved_vocabulary.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/json.h"
#include "checkpoint/shape_json.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse_vocabulary(const std::string& file, const std::string& why) {
  throw Error(ExitCode::bad_data, fmt::format("'{}': its vocabulary {}", file, why), Scope::every_rank);
}

}  // namespace

std::string vocabulary_change(const std::string& file, const CheckpointHeader& saved, const ProblemShape& here,
                              const Tokenizer* tokenizer) {
  const std::string there = saved.shape.empty() ? "" : shape_from_json(saved.shape).vocabulary_digest;
  if (there.empty() || here.vocabulary_digest.empty() || there == here.vocabulary_digest) return "";
  if (saved.vocabulary.empty() || tokenizer == nullptr) {
    return fmt::format("its SHA-256 is {} there and {} here", there, here.vocabulary_digest);
  }
  try {
    return vocabulary_difference(saved.vocabulary, *tokenizer);
  } catch (const JsonError& why) {
    refuse_vocabulary(file, fmt::format("cannot be read: {}", why.what()));
  }
}

SymbolTexts saved_symbol_texts(const SavedModel& saved) {
  const OpenedCheckpoint& from = saved.checkpoint();
  if (from.header.vocabulary.empty()) return {};
  try {
    SymbolTexts symbols = symbol_texts(*read_tokenizer(from.header.vocabulary, saved.registry().tokenizers));
    if (std::ssize(symbols.texts) == saved.shape().outputs) return symbols;
    refuse_vocabulary(from.file, fmt::format("has {} symbols, and its model predicts {}; it is damaged, or was put "
                                             "together by hand",
                                             symbols.texts.size(), saved.shape().outputs));
  } catch (const JsonError& why) {
    refuse_vocabulary(from.file, fmt::format("cannot be read: {}", why.what()));
  }
}

}  // namespace lockstep
