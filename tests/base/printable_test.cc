#include "base/printable.h"

#include <doctest/doctest.h>

#include <string>

#include "base/error.h"

using lockstep::Error;
using lockstep::escaped;
using lockstep::ExitCode;
using lockstep::in_quotes;
using lockstep::kMaxEscapedBytes;
using lockstep::printable_message;

namespace {

// Makes a string of a literal, including its NULs.
template <std::size_t n>
std::string bytes(const char (&literal)[n]) {
  return std::string(literal, n - 1);
}

}  // namespace

TEST_CASE("escaped: what steers a terminal or ends a text is shown, the rest stays") {
  CHECK(escaped("") == "");
  CHECK(escaped("data/run 7 'a' \\n \"b\"") == "data/run 7 'a' \\n \"b\"");
  CHECK(escaped("\x1b[31mred") == "\\x1b[31mred");
  CHECK(escaped(bytes("a\0b")) == "a\\x00b");
  CHECK(escaped("two\nlines\tand\r\n") == "two\\nlines\\tand\\r\\n");
  CHECK(escaped("\x7f\x01") == "\\x7f\\x01");
  CHECK(escaped("\xc2\x9b"
                "31m") == "\\xc2\\x9b31m");  // U+009B, which is ESC [ to some terminals
  CHECK(in_quotes("a\nb") == "'a\\nb'");
}

TEST_CASE("escaped: what turns the direction of writing is shown, its neighbours stay") {
  CHECK(escaped("a\xe2\x80\xae"
                "b") == "a\\xe2\\x80\\xaeb");  // U+202E
  for (const char* text :
       {"\u200E", "\u200F", "\u202A", "\u202B", "\u202C", "\u202D", "\u202E", "\u2066", "\u2067", "\u2068", "\u2069"}) {
    CAPTURE(text);
    CHECK(escaped(text).starts_with("\\xe2\\x8"));
    CHECK(printable_message(text) == escaped(text));
  }
  for (const char* text : {"\u200D", "\u2010", "\u2029", "\u202F", "\u2065", "\u206A", "\u216E", "\u05D0\u0627"}) {
    CHECK(escaped(text) == text);
  }
}

TEST_CASE("escaped: UTF-8 stays, other bytes are shown one by one") {
  for (const char* text :
       {"é", "\xc2\xa0", "€", "\xed\x9f\xbf", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    CHECK(escaped(text) == text);
  }
  CHECK(escaped("caf\xe9") == "caf\\xe9");                       // latin-1
  CHECK(escaped("\x80") == "\\x80");                             // starts in the middle of a character
  CHECK(escaped("\xe2\x82") == "\\xe2\\x82");                    // cut off
  CHECK(escaped("\xc0\x80") == "\\xc0\\x80");                    // longer than needed
  CHECK(escaped("\xe0\x9f\xbf") == "\\xe0\\x9f\\xbf");           // longer than needed, too
  CHECK(escaped("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // a surrogate
  CHECK(escaped("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond the last character
  CHECK(escaped("\xc3x") == "\\xc3x");
}

TEST_CASE("escaped: a long text is cut between characters, and its length said") {
  const std::string fits(kMaxEscapedBytes, 'a');
  CHECK(escaped(fits) == fits);
  CHECK(escaped(fits + "b") == fits + "... (201 bytes)");
  const std::string before(kMaxEscapedBytes - 1, 'a');
  CHECK(escaped(before + "é") == before + "... (201 bytes)");
  CHECK(escaped(std::string(10'000'000, 'x')).size() < 230);
  // Not UTF-8 at all: cut at the limit, or up to three bytes before.
  CHECK(escaped(std::string(1000, '\x80')).ends_with("... (1000 bytes)"));
}

TEST_CASE("printable message: it keeps its lines, and when it is too long its end") {
  CHECK(printable_message("a:\n\tb\x1b[0m\n") == "a:\n\tb\\x1b[0m\n");
  CHECK(printable_message(std::string(8, 'a'), 8) == "aaaaaaaa");
  CHECK(printable_message("aaaaaabcc", 8) == "aaaaaa ... (1 bytes left out) ... cc");
  CHECK(printable_message("aaaaaabbbbbcc", 8) == "aaaaaa ... (5 bytes left out) ... cc");
  CHECK(printable_message("aaaaa€€cc", 8).starts_with("aaaaa ... ("));
  CHECK(printable_message("aaaaaabb€", 8).ends_with(" ... "));
}

TEST_CASE("an error's message is printable, whatever went into it") {
  const Error error(ExitCode::usage, bytes("model 'a\0b\x1b[2J' is not there;\n  --registry_help lists them"));
  CHECK(std::string(error.what()) == "model 'a\\x00b\\x1b[2J' is not there;\n  --registry_help lists them");
  const Error huge(ExitCode::usage, "no model '" + std::string(10'000'000, 'x') + "'; --registry_help lists them");
  CHECK(std::string(huge.what()).size() < lockstep::kMaxMessageBytes + 100);
  CHECK(std::string(huge.what()).ends_with("'; --registry_help lists them"));
}
