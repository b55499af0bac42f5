#include "data/sequences/tokenizer.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/sequences/sequence_pair.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

using Ids = std::vector<std::int32_t>;

const char* const kEuro = "\xE2\x82\xAC";         // U+20AC
const char* const kSmile = "\xF0\x9F\x98\x80";    // U+1F600
const char* const kFullWidth = "\xEF\xBD\x81";    // U+FF41: below U+1F600, above it where UTF-16 is sorted
const char* const kReplacement = "\xEF\xBF\xBD";  // U+FFFD

TokenizerPointer characters(const std::string& text) { return character_tokenizer().make(text, {}); }
TokenizerPointer words(const std::string& text, std::int64_t most = 100) {
  return word_tokenizer().make(text, {.vocab_size = most + 3});
}
TokenizerPointer bytes() { return byte_tokenizer().make("of no meaning", {}); }

std::string json(const TokenizerPointer& tokenizer) { return tokenizer->to_json().text(); }

TokenizerPointer from_json(const std::string& text) {
  Table<TokenizerKind> kinds("tokenizer");
  for (const TokenizerKind& kind : {character_tokenizer(), word_tokenizer(), byte_tokenizer()}) {
    kinds.add(std::string(kind.name), "", kind);
  }
  return read_tokenizer(text, kinds);
}

void check_refused(const std::string& json, const std::string& why) {
  CAPTURE(json);
  try {
    from_json(json);
    FAIL_CHECK("it was accepted");
  } catch (const JsonError& error) {
    const std::string message = error.what();
    CAPTURE(message);
    CHECK(message.find(why) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("characters are numbered by their code points, and one number stands for all others") {
  const std::string text = std::string("b\na") + kSmile + "b" + kEuro + kFullWidth;
  const auto vocabulary = characters(text);
  CHECK(vocabulary->size() == 2 + 6 + 1);
  CHECK(vocabulary->unknown() == 8);
  CHECK(vocabulary->encode(text) == Ids{4, 2, 3, 7, 4, 5, 6});
  CHECK(vocabulary->decode(vocabulary->encode(text)) == text);
  CHECK(vocabulary->encode("a\xC3\xA4z") == Ids{3, 8, 8});
  CHECK(vocabulary->decode(Ids{3, 8, 3}) == std::string("a") + kReplacement + "a");
  CHECK(vocabulary->encode("").empty());
}

TEST_CASE("carriage returns, tabs and zero bytes are characters") {
  const std::string text("a\r\n\t\0", 5);
  CHECK(characters(text)->encode(text) == Ids{6, 5, 4, 3, 2});
  CHECK(characters(text)->decode(Ids{6, 5, 4, 3, 2}) == text);
  CHECK(json(from_json(json(characters(text)))) == json(characters(text)));
}

TEST_CASE("words are numbered by how frequent they are, equals by their bytes") {
  // the 3, line end 3, a 2, cat 1, dog 1
  const std::string text = "the cat\r\n\tthe  dog \n\n the a a";
  const auto vocabulary = words(text);
  CHECK(vocabulary->size() == 2 + 5 + 1);
  CHECK(vocabulary->encode("\nthe a cat dog") == Ids{2, 3, 4, 5, 6});
  CHECK(vocabulary->encode("The cats\r\n") == Ids{7, 7, 2});
  CHECK(vocabulary->encode(" \t\r\v\f").empty());
  CHECK(vocabulary->encode(text) == Ids{3, 5, 2, 3, 6, 2, 2, 3, 4, 4});
  CHECK(vocabulary->decode(vocabulary->encode(text)) == "the cat\nthe dog\n\nthe a a");
  CHECK(vocabulary->decode(Ids{7, 3, 7, 2, 7}) == "<unk> the <unk>\n<unk>");
}

TEST_CASE("of more words than allowed the rarest are unknown") {
  const std::string text = "a a a b b c d e";
  CHECK(words(text, 3)->size() == 2 + 3 + 1);
  CHECK(words(text, 3)->encode("a b c d e") == Ids{2, 3, 4, 5, 5});
  CHECK(words(text, 5)->encode("a b c d e f") == Ids{2, 3, 4, 5, 6, 7});
  check_error(ExitCode::usage, {"vocab_size=3", "give more"}, [&] { words(text, 0); });
}

TEST_CASE("bytes are numbered as they are, whatever the text, and none is unknown") {
  CHECK(bytes()->size() == 258);
  CHECK(!bytes()->unknown());
  CHECK(json(bytes()) == json(byte_tokenizer().make("another text", {})));
  std::string all;
  Ids numbers;
  for (int byte = 0; byte < 256; ++byte) {
    all += static_cast<char>(byte);
    numbers.push_back(2 + byte);
  }
  CHECK(bytes()->encode(all) == numbers);
  CHECK(bytes()->decode(numbers) == all);
}

TEST_CASE("nothing stands for the reserved symbols, and what is no symbol is refused") {
  CHECK(characters("ab")->decode(Ids{kPadSymbol, 2, kEndSymbol, 3, kPadSymbol}) == "ab");
  CHECK(words("a b")->decode(Ids{kEndSymbol, 2, kPadSymbol, 3}) == "a b");
  CHECK(bytes()->decode(Ids{kPadSymbol, kEndSymbol}).empty());
  check_error(ExitCode::internal, {"no symbol"}, [] { characters("ab")->decode(Ids{5}); });
  check_error(ExitCode::internal, {"no symbol"}, [] { bytes()->decode(Ids{258}); });
  check_error(ExitCode::internal, {"no symbol"}, [] { bytes()->decode(Ids{-1}); });
}

TEST_CASE("a text without symbols has a vocabulary, too") {
  CHECK(characters("")->size() == 3);
  CHECK(characters("")->encode("a") == Ids{2});
  CHECK(words(" ")->encode("a b") == Ids{2, 2});
  CHECK(json(from_json(json(words("")))) == json(words("")));
}

TEST_CASE("only what numbers characters is measured by them") {
  CHECK(characters("a")->characters());
  for (const TokenizerPointer& vocabulary : {words("a"), bytes()}) CHECK(!vocabulary->characters());
}

TEST_CASE("the JSON of a vocabulary differs if a symbol or the unit does") {
  CHECK(json(characters("ab\n")) == R"({"unit":"character","characters":"\nab"})");
  CHECK(json(words("b\nb a")) == R"({"unit":"word","words":["b","\n","a"]})");
  CHECK(json(bytes()) == R"({"unit":"byte"})");
  CHECK(json(characters("abc")) == json(characters("bcabca")));
  CHECK(json(characters("abc")) != json(characters("abd")));
  CHECK(json(words("a a b")) != json(words("a b b")));
  CHECK(json(characters("a")) != json(words("a")));
}

TEST_CASE("the digest is the SHA-256 of the JSON") {
  // printf '{"unit":"byte"}' | sha256sum
  CHECK(vocabulary_digest(json(bytes())) == "bdc990d2b18ff6c64b7d4d3f8ab5374da25e666fedc0ff4feb565ef45d3a2ca9");
  CHECK(bytes()->digest() == vocabulary_digest(json(bytes())));
}

TEST_CASE("JSON that no vocabulary gives is refused, with its place") {
  check_refused("[]", "expected an object");
  check_refused("{}", "unit");
  check_refused(R"({"unit": "rune"})", "unit: expected byte, character, word; if its run had a --usr_lib, give that");
  check_refused(R"({"unit": "character"})", "characters");
  check_refused(R"({"unit": "character", "characters": "ba"})", "characters: expected characters that rise");
  check_refused(R"({"unit": "character", "characters": "aa"})", "characters: expected characters that rise");
  check_refused(R"({"unit": "word", "words": "a"})", "words");
  check_refused(R"({"unit": "word", "words": ["a", 2]})", "words[1]");
  check_refused(R"({"unit": "word", "words": ["a", "b", "a"]})", "words[2]: this word stands in the list twice");
  for (const char* word : {"", " ", "a b", " a", "a ", "a\\n", "\\n\\n", "\\r"}) {
    check_refused(std::string(R"({"unit": "word", "words": [")") + word + "\"]}", "words[0]: expected one word");
  }
}

namespace {

// A tokenizer of 70000 symbols, all texts of which have one piece, of these symbols.
class Faulty final : public Tokenizer {
 public:
  enum class Takes { all, nothing };
  Faulty(Takes takes, Ids gives) : Tokenizer(byte_tokenizer()), takes_(takes), gives_(std::move(gives)) {}
  std::int64_t size() const override { return 70000; }
  std::optional<std::int32_t> unknown() const override { return std::nullopt; }
  std::string decode(std::span<const std::int32_t> /*symbols*/) const override { return ""; }

 private:
  bool take_piece(std::string_view& text, Ids& symbols) const override {
    if (text.empty()) return false;
    if (takes_ == Takes::all) text = {};
    symbols.insert(symbols.end(), gives_.begin(), gives_.end());
    return true;
  }
  Json::Object to_members() const override { return {}; }

  Takes takes_;
  Ids gives_;
};

}  // namespace

TEST_CASE("a tokenizer that takes nothing, or gives what is no symbol, is refused by name") {
  using Takes = Faulty::Takes;
  CHECK(Faulty(Takes::all, {0, 69999}).encode("ab") == Ids{0, 69999});
  const auto refused = [](const Faulty& tokenizer, const std::string& why) {
    check_error(ExitCode::internal, {"tokenizer 'byte' " + why, "take_piece()"}, [&] { tokenizer.encode("ab"); });
  };
  refused(Faulty(Takes::nothing, {2}), "gives symbols, but takes nothing");
  refused(Faulty(Takes::all, {2, 70000}), "gives symbol 70000, outside 0 to 69999");
  refused(Faulty(Takes::all, {-1}), "gives symbol -1, outside 0 to 69999");
}

}  // namespace lockstep
