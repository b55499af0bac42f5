#include "data/sequences/text_source.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/sequences/each_megabyte.h"

namespace lockstep {
namespace {

// unknown: increased by the number of symbols that are unknown.
SymbolStream stream_of(const Tokenizer& tokenizer, std::string_view text, std::int64_t& unknown,
                       const std::function<void()>& each_megabyte) {
  EachMegabyte progress(each_megabyte, text.size());
  SymbolStream stream(tokenizer.size(), text.size());  // room for a symbol for each byte; it grows
  const std::optional<std::int32_t> none = tokenizer.unknown();
  std::vector<std::int32_t> piece;
  for (; tokenizer.encode_next(text, piece); piece.clear()) {
    progress.at(text.size());
    for (const std::int32_t symbol : piece) {
      if (symbol == none) ++unknown;
      stream.push_back(symbol);
    }
  }
  return stream;
}

}  // namespace

TextSource::TextSource(TokenizerPointer tokenizer, std::int64_t window, PerSplit<std::string> texts,
                       const std::function<void()>& each_megabyte)
    : tokenizer_(std::move(tokenizer)), window_(window) {
  LS_CHECK(window >= 1, "a sample has one symbol at least");
  for (const Split split : kAllSplits) {
    streams_[split] = stream_of(*tokenizer_, texts[split], unknown_[split], each_megabyte);
    texts[split] = {};  // freed, since a text may be large
  }
}

std::int64_t TextSource::count(Split split) const {
  return length(split) / window_ + (length(split) % window_ == 0 ? 0 : 1);
}

SequenceLengths TextSource::lengths(Split split, std::int64_t sample) const {
  LS_CHECK(sample >= 0 && sample < count(split), "no such sample");
  return {.inputs = 0, .targets = std::min(window_, length(split) - sample * window_)};
}

void TextSource::read_pair(Split split, std::int64_t sample, SequencePair& pair) const {
  pair.inputs.clear();
  const std::int64_t targets = lengths(split, sample).targets;
  const std::int64_t begin = sample * window_;
  pair.before = kPadSymbol;
  if (begin > 0) {
    streams_[split].read(begin - 1, 1, pair.targets);
    pair.before = pair.targets.front();
  }
  streams_[split].read(begin, targets, pair.targets);
}

}  // namespace lockstep
