#include "train/output/events/record_framing.h"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

namespace lockstep {
namespace {

std::uint32_t crc_of(const std::string& text) { return crc32c(std::as_bytes(std::span(text))); }

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text += static_cast<char>(value);
  return text;
}

}  // namespace

TEST_CASE("crc32c gives the answers of RFC 3720, appendix B.4") {
  std::string counted(32, '\0');
  std::iota(counted.begin(), counted.end(), '\0');
  CHECK(crc_of(std::string(32, '\0')) == 0x8A9136AA);
  CHECK(crc_of(std::string(32, '\xFF')) == 0x62A8AB43);
  CHECK(crc_of(counted) == 0x46DD794E);
  CHECK(crc_of({counted.rbegin(), counted.rend()}) == 0x113FDB5C);
  CHECK(crc_of("123456789") == 0xE3069283);
  CHECK(crc_of("") == 0);
}

TEST_CASE("a framed record is length, its masked crc, the record, its masked crc") {
  // Masked CRCs, computed by TensorBoard: of the eight bytes of the length, and of the record.
  CHECK(framed("123456789") == bytes({9, 0, 0, 0, 0, 0, 0, 0}) + bytes({0x37, 0xF9, 0x71, 0x39}) + "123456789" +
                                   bytes({0xE5, 0xB0, 0x8A, 0xC7}));
  CHECK(framed("") ==
        bytes({0, 0, 0, 0, 0, 0, 0, 0}) + bytes({0x29, 0x03, 0x98, 0x07}) + bytes({0xD8, 0xEA, 0x82, 0xA2}));
  CHECK(framed(std::string(300, 'x')).starts_with(bytes({0x2C, 1, 0, 0, 0, 0, 0, 0})));
  CHECK(framed(std::string(300, 'x')).size() == 300 + 16);
}

}  // namespace lockstep
