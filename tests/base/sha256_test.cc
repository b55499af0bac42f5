#include "base/sha256.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using lockstep::Sha256;

namespace {

// Returns the digest of text, fed in pieces of at most `piece` bytes.
std::string digest(std::string_view text, std::size_t piece) {
  Sha256 hash;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    hash.update(std::as_bytes(std::span(text.substr(at, piece))));
  }
  return lockstep::hex(hash.finish());
}

void check_digest(std::string_view text, const std::string& expected) {
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{3}, std::size_t{63}, std::size_t{64}, std::size_t{65}, text.size() + 1}) {
    CAPTURE(piece);
    CHECK(digest(text, piece) == expected);
  }
}

}  // namespace

TEST_CASE("sha256: published examples") {
  check_digest("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  check_digest("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  check_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
               "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  check_digest(
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrst"
      "u",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  check_digest(std::string(1000000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("sha256: padding at the edges of a block") {
  // Texts of n letters a; the digests were computed with another implementation.
  check_digest(std::string(55, 'a'), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  check_digest(std::string(56, 'a'), "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
  check_digest(std::string(63, 'a'), "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34");
  check_digest(std::string(64, 'a'), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
  check_digest(std::string(119, 'a'), "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
  check_digest(std::string(120, 'a'), "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c");
}
