#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/table.h"

namespace lockstep {

class Tokenizer;
using TokenizerPointer = std::shared_ptr<const Tokenizer>;

struct TokenizerOptions {
  std::int64_t vocab_size = 0;            // hparam vocab_size; 0: as the text says
  std::function<void()> each_megabyte{};  // called for each megabyte of the training text
};

// A kind of tokenizer, an entry of the registry; hparam text_unit names it. A plain value; the texts and functions that
// it refers to live as long as the program.
struct TokenizerKind {
  std::string_view name;  // of the entry, and for messages: "3 of the 5 characters"
  std::string_view help;
  bool utf8 = true;           // its texts are UTF-8; false: any bytes
  std::string_view blanks{};  // characters that give no symbol: a file of these alone is refused
  // Makes a tokenizer for a training text, the same one for the same text. Throws Error(usage) of every rank for a
  // vocab_size that it cannot have. REQUIRES: the text is as utf8 says.
  TokenizerPointer (*make)(std::string_view training_text, const TokenizerOptions& options) = nullptr;
  // Reads the result of Tokenizer::to_json(). Throws JsonError, with the place, for anything else.
  TokenizerPointer (*from_json)(const Json& json) = nullptr;
};

// The symbols of texts and their numbers: kPadSymbol and kEndSymbol, then the tokenizer's own from kFirstSymbol on.
// Never changes once it is made; any threads may call.
class Tokenizer {
 public:
  explicit Tokenizer(const TokenizerKind& kind) : kind_(kind) {}
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;
  virtual ~Tokenizer() = default;

  const TokenizerKind& kind() const { return kind_; }

  // Number of symbols; numbers are in [0, size()).
  virtual std::int64_t size() const = 0;
  // The number of all that no other symbol stands for; nothing if there is none.
  virtual std::optional<std::int32_t> unknown() const = 0;
  // True if symbols are characters, so that a text is measured in bits for each of them.
  virtual bool characters() const { return false; }
  // Takes the first piece, a word for example, off the text, and appends its symbols; false if no piece is left. The
  // symbols of a text are those of its pieces, one at least for each. REQUIRES: the text is as kind().utf8 says.
  virtual bool encode_next(std::string_view& text, std::vector<std::int32_t>& symbols) const = 0;
  // The text of symbols; kPadSymbol and kEndSymbol give none. REQUIRES: each in [0, size()).
  virtual std::string decode(std::span<const std::int32_t> symbols) const = 0;
  // What decode() puts between two symbols.
  virtual std::string_view separator() const { return ""; }
  // An object whose member "unit" is the name of the kind.
  virtual Json to_json() const = 0;

  // The symbols of a whole text.
  std::vector<std::int32_t> encode(std::string_view text) const;

 private:
  TokenizerKind kind_;
};

// What is built in. Numbers are those of
//
//   character: the code points of the training text, rising, then one for all others;
//   word: the text between white space (ASCII's), and each line end; the most frequent ones of the training text, the
//     most frequent first, equals by their bytes, then one for all others. vocab_size counts all numbers;
//   byte: all 256.
TokenizerKind character_tokenizer();
TokenizerKind word_tokenizer();
TokenizerKind byte_tokenizer();

inline constexpr const char* kUnitKey = "unit";  // of Tokenizer::to_json()

// The tokenizer that a text in JSON describes, by its kind. Throws JsonError.
TokenizerPointer read_tokenizer(const std::string& json, const Table<TokenizerKind>& kinds);

// SHA-256 of a tokenizer's JSON in one line, in hex: ProblemShape::vocabulary_digest.
std::string vocabulary_digest(std::string_view json);

// Describes how the symbols of two tokenizers differ, for a message: "68 symbols there and 69 here, of which number 34
// is 'e' there and 'f' here". there: of Tokenizer::to_json(). REQUIRES: they differ. Pure. Throws JsonError.
std::string vocabulary_difference(const std::string& there, const Tokenizer& here);

}  // namespace lockstep
