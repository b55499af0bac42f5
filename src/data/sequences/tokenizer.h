#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
  // Makes a tokenizer of this kind for a training text, the same one for the same text. Throws Error(usage) of every
  // rank for a vocab_size that it cannot have. REQUIRES: the text is as utf8 says.
  std::function<TokenizerPointer(std::string_view training_text, const TokenizerOptions& options)> make{};
  // Reads the result of Tokenizer::to_json(). Throws JsonError, with the place, for anything else.
  std::function<TokenizerPointer(const Json& json)> from_json{};
};

// The symbols of texts and their numbers: kPadSymbol and kEndSymbol, then the tokenizer's own from kFirstSymbol on.
// Never changes once it is made; any threads may call.
class Tokenizer {
 public:
  explicit Tokenizer(TokenizerKind kind) : kind_(std::move(kind)) {}
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
  // symbols of a text are those of its pieces. REQUIRES: the text is as kind().utf8 says. Throws Error(internal) of
  // every rank if take_piece() takes nothing, or gives a symbol outside [0, size()).
  bool encode_next(std::string_view& text, std::vector<std::int32_t>& symbols) const;
  // The text of symbols; kPadSymbol and kEndSymbol give none. REQUIRES: each in [0, size()).
  virtual std::string decode(std::span<const std::int32_t> symbols) const = 0;
  // The text that decode() puts between two symbols.
  virtual std::string_view separator() const { return ""; }
  // An object whose member "unit" is the name of the kind, and which has the members of to_members().
  Json to_json() const;
  // SHA-256 of to_json(), which the first call computes: ProblemShape::vocabulary_digest.
  const std::string& digest() const;

  // The symbols of a whole text.
  std::vector<std::int32_t> encode(std::string_view text) const;

 private:
  // encode_next(), not checked: returns false, or takes a byte or more and appends a symbol at least.
  virtual bool take_piece(std::string_view& text, std::vector<std::int32_t>& symbols) const = 0;
  // The members of to_json() after "unit".
  virtual Json::Object to_members() const = 0;

  TokenizerKind kind_;
  mutable std::once_flag hashed_;
  mutable std::string digest_;
};

// The built-in kinds. Numbers are those of
//
//   character: the code points of the training text, rising, then one for all others;
//   word: the text between white space (ASCII's), and each line end; the most frequent ones of the training text, the
//     most frequent first, equals by their bytes, then one for all others. vocab_size counts all numbers;
//   byte: all 256.
TokenizerKind character_tokenizer();
TokenizerKind word_tokenizer();
TokenizerKind byte_tokenizer();

// The tokenizer that a text in JSON describes, by its kind. Throws JsonError.
TokenizerPointer read_tokenizer(const std::string& json, const Table<TokenizerKind>& kinds);

// SHA-256 of a tokenizer's JSON in one line, in hex.
std::string vocabulary_digest(std::string_view json);

// Describes how two tokenizers differ, for a message: "68 symbols there and 69 here, of which number 34 is 'e' there
// and 'f' here"; "" if their JSON is the same. Pure.
std::string vocabulary_difference(const Tokenizer& there, const Tokenizer& here);

}  // namespace lockstep
