#include "base/base64.h"

#include <doctest/doctest.h>

#include <string>

namespace lockstep {

TEST_CASE("base64: RFC 4648's own examples, with and without the end") {
  CHECK(decode_base64("") == "");
  CHECK(decode_base64("Zg==") == "f");
  CHECK(decode_base64("Zm8=") == "fo");
  CHECK(decode_base64("Zm9v") == "foo");
  CHECK(decode_base64("Zm9vYg") == "foob");
  CHECK(decode_base64("Zm9vYmE") == "fooba");
}

TEST_CASE("base64: what is encoded is RFC 4648's own, and comes back") {
  const std::string text = "foobar";
  const std::string encoded[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
  for (std::size_t length = 0; length <= text.size(); ++length) {
    CHECK(encode_base64(std::as_bytes(std::span(text).first(length))) == encoded[length]);
  }
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  CHECK(decode_base64(encode_base64(std::as_bytes(std::span(all)))) == all);
}

TEST_CASE("base64: both alphabets, and what shells leave in between") {
  CHECK(decode_base64("-_-_") == std::string("\xfb\xff\xbf"));
  CHECK(decode_base64("+/+/") == decode_base64("-_-_"));
  CHECK(decode_base64("Zm9v\nYg\\=\\=\n") == "foob");
}

TEST_CASE("base64: anything else is refused") {
  for (const char* text : {"Z", "Zm9vY", "Zg=", "Zg===", "=Zg=", "Zg==Zg==", "Zm9v=", "{\"a\"}", "Zm*v"}) {
    CAPTURE(text);
    CHECK_FALSE(decode_base64(text).has_value());
  }
}

}  // namespace lockstep
