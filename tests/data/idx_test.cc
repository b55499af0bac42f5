#include "data/idx.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <numeric>

#include "idx_files.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

Bytes counting(std::size_t count) {
  Bytes values(count);
  std::iota(values.begin(), values.end(), std::uint8_t{0});
  return values;
}

void refused(const std::string& path, int dimensions, std::initializer_list<std::string> parts) {
  check_error(ExitCode::bad_data, parts, [&] { read_idx(path, dimensions); });
}

}  // namespace

TEST_CASE("an idx file is read, plain or packed, whatever its name") {
  const TemporaryFolder folder;
  const Bytes labels = idx_bytes({5}, {9, 0, 255, 3, 1});
  const Bytes images = idx_bytes({7, 3, 5}, counting(105));
  write_file(folder / "labels", labels);
  write_file(folder / "labels.gz", packed(labels));
  write_file(folder / "images", images);
  write_file(folder / "images_packed", packed(images));
  write_file(folder / "images.gz", images);
  for (const char* name : {"labels", "labels.gz"}) {
    const IdxArray array = read_idx(folder / name, 1);
    CHECK(array.extents == Shape{5});
    CHECK(array.values == Bytes{9, 0, 255, 3, 1});
  }
  for (const char* name : {"images", "images_packed", "images.gz"}) {
    const IdxArray array = read_idx(folder / name, 3);
    CHECK(array.extents == Shape{7, 3, 5});
    CHECK(array.values == counting(105));
  }
}

TEST_CASE("a large array grows in pieces and stays whole") {
  const TemporaryFolder folder;
  const Bytes values = counting(5'000'001);
  write_file(folder / "large.gz", packed(idx_bytes({5'000'001}, values)));
  CHECK(read_idx(folder / "large.gz", 1).values == values);
}

TEST_CASE("a plain file cut off anywhere is refused, with expected and found bytes") {
  const TemporaryFolder folder;
  const Bytes whole = idx_bytes({2, 3, 4}, counting(24));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_file(folder / "cut", cut(whole, size));
    CAPTURE(size);
    refused(folder / "cut", 3,
            {"cut'", "is cut off", size < 16 ? "16 bytes" : "(2, 3, 4), 40 bytes", "it has " + std::to_string(size)});
  }
}

TEST_CASE("packed data that end too early are refused, with expected and found bytes") {
  const TemporaryFolder folder;
  write_file(folder / "short.gz", packed(idx_bytes({2, 3, 4}, counting(23))));
  refused(folder / "short.gz", 3, {"short.gz", "(2, 3, 4), 40 bytes", "it unpacks to 39"});
  write_file(folder / "short.gz", packed({0, 0, 8}));
  refused(folder / "short.gz", 3, {"short.gz", "16 bytes", "it unpacks to 3"});
}

TEST_CASE("a file that goes on is refused") {
  const TemporaryFolder folder;
  const Bytes longer = idx_bytes({2, 3, 4}, counting(25));
  write_file(folder / "long", longer);
  write_file(folder / "long.gz", packed(longer));
  refused(folder / "long", 3, {"long'", "goes on after the 40 bytes", "(2, 3, 4)"});
  refused(folder / "long.gz", 3, {"long.gz", "goes on after the 40 bytes"});
}

TEST_CASE("a wrong checksum at the very end is found") {
  const TemporaryFolder folder;
  const Bytes whole = packed(idx_bytes({24}, counting(24)));
  write_file(folder / "sum.gz", flipped(whole, whole.size() - 8));
  refused(folder / "sum.gz", 1, {"sum.gz", "incorrect data check"});
  write_file(folder / "sum.gz", flipped(whole, whole.size() - 1));
  refused(folder / "sum.gz", 1, {"sum.gz", "incorrect length check"});
}

TEST_CASE("another kind of file is named by what it begins with") {
  const TemporaryFolder folder;
  write_file(folder / "labels", idx_bytes({5}, counting(5)));
  refused(folder / "labels", 3, {"labels", "0x00000801", "0x00000803"});
  write_file(folder / "text", {'<', 'h', 't', 'm', 'l', '>'});
  refused(folder / "text", 1, {"text", "0x3c68746d", "0x00000801"});
  Bytes floats = idx_bytes({5}, counting(20));
  floats[2] = 0x0D;
  write_file(folder / "floats", floats);
  refused(folder / "floats", 1, {"floats", "0x00000d01"});
}

TEST_CASE("an empty array is refused") {
  const TemporaryFolder folder;
  write_file(folder / "empty", idx_bytes({0}, {}));
  refused(folder / "empty", 1, {"is empty", "(0)"});
  write_file(folder / "empty", idx_bytes({4, 0, 28}, {}));
  refused(folder / "empty", 3, {"is empty", "(4, 0, 28)"});
}

TEST_CASE("a header that announces more than the file can hold costs no memory") {
  const TemporaryFolder folder;
  const Bytes huge = idx_bytes({0x80000000U, 28, 28}, counting(100));
  const Bytes beyond_64_bits = idx_bytes({0xFFFFFFFFU, 0xFFFFFFFFU, 0xFFFFFFFFU}, counting(100));
  write_file(folder / "huge", huge);
  write_file(folder / "huge.gz", packed(huge));
  write_file(folder / "beyond", beyond_64_bits);
  write_file(folder / "beyond.gz", packed(beyond_64_bits));
  refused(folder / "huge", 3, {"(2147483648, 28, 28), 1683627180048 bytes", "it has 116"});
  refused(folder / "huge.gz", 3, {"(2147483648, 28, 28), 1683627180048 bytes", "unpacks to at most"});
  refused(folder / "beyond", 3, {"(4294967295, 4294967295, 4294967295), more than 2^63 bytes", "it has 116"});
  refused(folder / "beyond.gz", 3, {"more than 2^63 bytes"});
}

TEST_CASE("a packed file that unpacks to far more than announced is not unpacked further") {
  const TemporaryFolder folder;
  write_file(folder / "bomb.gz", packed(idx_bytes({10}, Bytes(50'000'000))));
  refused(folder / "bomb.gz", 1, {"goes on after the 18 bytes"});
}

TEST_CASE("a packed file that could hold what it announces costs no more memory than it unpacks to") {
  const TemporaryFolder folder;
  write_file(folder / "bomb.gz", joined(packed(idx_bytes({4'000'000'000}, Bytes(3'000'000))), Bytes(4'000'000, 0x1F)));
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  refused(folder / "bomb.gz", 1, {"bomb.gz", "damaged"});
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  CHECK(after.ru_maxrss - before.ru_maxrss < 500'000);  // kilobytes
}

TEST_CASE("no file is missing input") {
  const TemporaryFolder folder;
  check_error(ExitCode::missing_input, {"nothing", "No such file"}, [&] { read_idx(folder / "nothing", 1); });
}

}  // namespace lockstep
