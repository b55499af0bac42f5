#include "base/utf8.h"

#include <doctest/doctest.h>

#include <string>

namespace lockstep {
namespace {

// Encodes a number of up to 21 bits in `bytes` bytes, allowed or not.
std::string written_in(char32_t number, int bytes) {
  if (bytes == 1) return {static_cast<char>(number)};
  constexpr unsigned kMarks[] = {0, 0, 0xC0, 0xE0, 0xF0};
  std::string text(1, static_cast<char>(kMarks[bytes] | (number >> (6 * (bytes - 1)))));
  for (int left = bytes - 2; left >= 0; --left) {
    text += static_cast<char>(0x80U | ((number >> (6 * left)) & 0x3FU));
  }
  return text;
}

int bytes_needed(char32_t number) { return number < 0x80 ? 1 : number < 0x800 ? 2 : number < 0x10000 ? 3 : 4; }

bool is_character(char32_t number) { return number <= 0x10FFFF && (number < 0xD800 || number > 0xDFFF); }

}  // namespace

TEST_CASE("every character is read in its one form, and no other number in any") {
  for (char32_t number = 0; number < 0x200000; ++number) {
    for (int bytes = bytes_needed(number); bytes <= 4; ++bytes) {
      const Utf8Character read = first_character(written_in(number, bytes) + "rest");
      const bool right = is_character(number) && bytes == bytes_needed(number);
      if (read.bytes == (right ? static_cast<std::size_t>(bytes) : 0) && read.code_point == (right ? number : 0))
        continue;
      FAIL_CHECK("number " << static_cast<std::uint32_t>(number) << " in " << bytes << " bytes");
    }
  }
}

TEST_CASE("sequences that are cut off, bytes that continue nothing, and bytes that never occur are no characters") {
  for (const char32_t number : {0xE4U, 0x20ACU, 0x1F600U}) {
    const std::string whole = written_in(number, bytes_needed(number));
    for (std::size_t size = 1; size < whole.size(); ++size) {
      CHECK(first_character(whole.substr(0, size)).bytes == 0);
      CHECK(first_character(whole.substr(0, size) + "a").bytes == 0);
      CHECK(first_character(whole.substr(0, size) + whole).bytes == 0);
    }
    CHECK(first_character(whole.substr(1)).bytes == 0);
  }
  for (const char* text : {"\x80", "\xBF", "\xF8\x88\x80\x80\x80", "\xFC", "\xFE", "\xFF"}) {
    CHECK(first_character(text).bytes == 0);
  }
  CHECK(first_character("").bytes == 0);
}

TEST_CASE("the place of what is not UTF-8 is that of the byte that begins no character") {
  CHECK(!find_non_utf8(""));
  CHECK(!find_non_utf8("plain"));
  CHECK(!find_non_utf8(std::string_view("a\0b", 3)));
  CHECK(!find_non_utf8("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80"));
  CHECK(find_non_utf8("\xFF") == 0);
  CHECK(find_non_utf8("gr\xFC\xDF") == 2);                // Latin-1
  CHECK(find_non_utf8("\xC3\xBC\xC3") == 2);              // cut off
  CHECK(find_non_utf8("a\xF0\x9F\x98\xF0\x9F") == 1);     // the rest does not matter
  CHECK(find_non_utf8("\xE2\x82\xAC\xED\xA0\x80") == 3);  // a surrogate
}

}  // namespace lockstep
