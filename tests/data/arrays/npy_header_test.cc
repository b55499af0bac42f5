#include "data/arrays/npy_header.h"

#include <doctest/doctest.h>

#include "data/npy_files.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

NpyHeader parse(const Bytes& bytes) { return parse_npy_header("a.npy", std::as_bytes(std::span(bytes))); }
NpyHeader parse_text(const std::string& text) { return parse(npy_bytes(text, {})); }

void refused(const std::string& text, std::initializer_list<std::string> parts) {
  CAPTURE(text);
  check_error(ExitCode::bad_data, parts, [&] { parse_text(text); });
}

using Extents = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("a header as numpy writes it, in all versions") {
  for (const int version : {1, 2, 3}) {
    const Bytes bytes = npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (60000, 28, 28), }", {}, version);
    const NpyHeader header = parse(bytes);
    CHECK(header.type == ElementType::float32);
    CHECK_FALSE(header.other_byte_order);
    CHECK_FALSE(header.fortran_order);
    CHECK(header.extents == Extents{60000, 28, 28});
    CHECK(header.bytes == bytes.size());
    CHECK(header.bytes % 64 == 0);
  }
}

TEST_CASE("types, byte orders and shapes") {
  CHECK(parse_text(npy_header("|u1", {3})).type == ElementType::uint8);
  CHECK(parse_text(npy_header("<f2", {3})).type == ElementType::float16);
  const NpyHeader big = parse_text(npy_header(">i8", {3}));
  CHECK(big.type == ElementType::int64);
  CHECK(big.other_byte_order);
  CHECK_FALSE(parse_text(npy_header(">u1", {3})).other_byte_order);
  CHECK(parse_text("{'descr': '<f8', 'fortran_order': False, 'shape': ()}").extents.empty());
  CHECK(parse_text("{'descr': '<f8', 'fortran_order': False, 'shape': (7,)}").extents == Extents{7});
  CHECK(parse_text("{'shape':(2L,3),\"descr\":\"<f8\",'fortran_order':True}").fortran_order);
}

TEST_CASE("what are no plain numbers is refused by name") {
  refused(npy_header("|O", {3}), {"'a.npy'", "Python objects", "'|O'", "numpy.unique(array, return_inverse=True)[1]"});
  refused(npy_header("<U12", {3}), {"text", "numpy.unique(array, return_inverse=True)[1]"});
  refused(npy_header("|S3", {3}), {"text"});
  refused(npy_header("<c8", {3}), {"complex"});
  refused(npy_header("|b1", {3}), {"booleans", "array.astype('int32') of (N)", "array.argmax(1)"});
  refused(npy_header("|V4", {3}), {"raw records"});
  refused(npy_header("<M8[ns]", {3}), {"dates"});
  refused(npy_header("<f16", {3}), {"'<f16'", "astype"});
  refused(npy_header("<i3", {3}), {"'<i3'"});
  refused(npy_header("|f4", {3}), {"'|f4'"});
  refused(npy_header("f4", {3}), {"'f4'"});
  refused(npy_header("", {3}), {"''"});
  refused("{'descr': [('x', '<f4'), ('y', '<i2')], 'fortran_order': False, 'shape': (3,), }", {"several fields"});
}

TEST_CASE("a damaged header is refused with its place") {
  refused("{'descr': '<f4', 'fortran_order': False, 'shape': (3), }", {"comma", "byte 62"});
  refused("{'descr': '<f4', 'fortran_order': False, 'shape': (3,-1), }", {"no number", "byte 63", "'-1), }"});
  refused("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", {"beyond 2^64"});
  refused("{'descr': '<f4', 'fortran_order': false, 'shape': (3,), }", {"True nor False"});
  refused("{'descr': '<f4', 'fortran_order': 0, 'shape': (3,), }", {"True nor False"});
  refused("{'descr': '<f4', 'shape': (3,), }", {"without 'fortran_order'"});
  refused("{'fortran_order': False, 'shape': (3,), }", {"without 'descr'"});
  refused("{}", {"without 'descr'"});
  refused("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", {"second time"});
  refused("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'x': 1}", {"unknown key 'x'"});
  refused("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } + 1", {"something else after"});
  refused("{'descr': '<f4, 'fortran_order': False, 'shape': (3,), }", {"'<f4, '"});
  refused("{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (3,), }", {"quotes are not closed"});
  refused("__import__('os').system('true')", {"no '{'", "byte 10"});
  refused("{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::string(70, ' ') + "3,) * 2, }", {"no '}'"});
  std::string many = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (int i = 0; i < 40; ++i) many += "1,";
  refused(many + ")}", {"more axes"});
  refused(std::string(30000, '{'), {"quoted word"});
}

TEST_CASE("what does not begin like a .npy file, or in a version of tomorrow") {
  check_error(ExitCode::bad_data, {"'a.npy'", "no .npy file"}, [] { parse({}); });
  check_error(ExitCode::bad_data, {"no .npy file"}, [] { parse({'P', 'K', 3, 4}); });
  Bytes bytes = npy_bytes(npy_header("<f4", {3}), {});
  bytes[6] = 4;
  check_error(ExitCode::bad_data, {"version 4.0"}, [&] { parse(bytes); });
  bytes[6] = 1;
  bytes[7] = 1;
  check_error(ExitCode::bad_data, {"version 1.1"}, [&] { parse(bytes); });
}

TEST_CASE("a header of absurd length is refused before it is looked for") {
  Bytes bytes = npy_bytes(npy_header("<f4", {3}), {}, 2);
  bytes[11] = 0x7F;
  check_error(ExitCode::bad_data, {"header of 21", "bytes"}, [&] { parse(bytes); });
}

// Any truncation or change gives an Error or a well-formed header, never a crash, and nothing is read past the end.
TEST_CASE("every truncation is refused, and every single change gives a header or an Error") {
  for (const int version : {1, 2}) {
    const Bytes sound = npy_bytes(npy_header("<f4", {12, 3}), {}, version);
    for (std::size_t size = 0; size < sound.size(); ++size) {
      const Bytes shorter = cut(sound, size);
      check_error(ExitCode::bad_data, {"a.npy"}, [&] { parse(shorter); });
    }
    int accepted = 0;
    for (std::size_t at = 0; at < sound.size(); ++at) {
      for (int value = 0; value < 256; ++value) {
        Bytes changed = sound;
        changed[at] = static_cast<std::uint8_t>(value);
        try {
          const NpyHeader header = parse(changed);
          REQUIRE(header.bytes <= changed.size());
          REQUIRE(header.extents.size() <= 2);
          ++accepted;
        } catch (const Error& error) {
          REQUIRE(error.code() == ExitCode::bad_data);
        }
      }
    }
    // Every byte may stay unchanged; a few changes give another valid header: other digits, types, blanks for blanks.
    CHECK(accepted >= std::ssize(sound));
    CHECK(accepted < 5 * std::ssize(sound));
  }
}

}  // namespace lockstep
