#include "train/saved/saved_vocabulary.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/error.h"
#include "base/json.h"
#include "checkpoint/shape_json.h"
#include "train/saved/check_known.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse_vocabulary(const std::string& file, const std::string& why) {
  throw Error(ExitCode::bad_data, fmt::format("'{}': its vocabulary {}", file, why), Scope::every_rank);
}

// Checks the tokenizer that the run chose. What of its own library is missing says more than the vocabulary, whose unit
// nothing here can read.
void check_unit(const std::string& file, const CheckpointHeader& saved, const Table<TokenizerKind>& kinds) {
  const Json hparams = parse_json(saved.hparams);  // an object: the decoder has checked that
  const Json* const unit = hparams.find("text_unit");
  if (const auto* const name = unit == nullptr ? nullptr : unit->as<std::string>()) check_known(kinds, *name, file);
}

}  // namespace

TokenizerPointer saved_tokenizer(const std::string& file, const CheckpointHeader& saved,
                                 const Table<TokenizerKind>& kinds) {
  check_unit(file, saved, kinds);
  if (saved.vocabulary.empty()) return nullptr;
  try {
    TokenizerPointer tokenizer = read_tokenizer(saved.vocabulary, kinds);
    const std::int64_t symbols = shape_from_json(saved.shape).vocabulary;
    if (tokenizer->size() == symbols) return tokenizer;
    refuse_vocabulary(file, fmt::format("has {} symbols, and its model {}; it is damaged, or was put together by hand",
                                        tokenizer->size(), symbols));
  } catch (const JsonError& why) {
    refuse_vocabulary(file, fmt::format("cannot be read: {}", why.what()));
  }
}

std::string vocabulary_change(const std::string& file, const CheckpointHeader& saved, const ProblemShape& here,
                              const Tokenizer* tokenizer, const Table<TokenizerKind>& kinds) {
  const std::string there = saved.shape.empty() ? "" : shape_from_json(saved.shape).vocabulary_digest;
  if (there.empty() || here.vocabulary_digest.empty() || there == here.vocabulary_digest) return "";
  const TokenizerPointer old = tokenizer == nullptr ? nullptr : saved_tokenizer(file, saved, kinds);
  if (old == nullptr) return fmt::format("its SHA-256 is {} there and {} here", there, here.vocabulary_digest);
  return vocabulary_difference(*old, *tokenizer);
}

}  // namespace lockstep
