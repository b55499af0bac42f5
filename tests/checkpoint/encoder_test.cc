#include "checkpoint/encoder.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "base/error.h"
#include "checkpoint/decoder.h"
#include "checkpoint/hdf5_reader.h"
#include "checkpoint/hdf5_writer.h"
#include "checkpoint/seal.h"
#include "checkpoint/shape_json.h"
#include "checkpoint_states.h"
#include "data/sequences/tokenizer.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;) value = value << 8 | static_cast<std::uint64_t>(bytes[i]);
  return value;
}

}  // namespace

TEST_CASE("what is written is read back, whatever its shape") {
  const TemporaryFolder folder;
  const ParameterTable table = odd_table();
  for (const StateLayout& layout :
       {StateLayout{.table = &table}, StateLayout{.table = &table, .slots = {"m", "v"}, .average = true},
        StateLayout{.table = &table, .slots = {"momentum"}, .average = false, .replicas = 3}}) {
    const StateArrays arrays = some_arrays(layout);
    put_checkpoint(folder / "a.h5", some_header(), layout, arrays);
    const CheckpointDecoder reader(folder / "a.h5");
    CHECK(equal(reader.header(), some_header()));
    CHECK(reader.replicas() == layout.replicas);
    CHECK(reader.slots() == layout.slots);
    CHECK(reader.has_average() == layout.average);
    CHECK(equal(reader.read(layout), arrays));
  }
}

TEST_CASE("replicas that differ can be read as their mean") {
  const TemporaryFolder folder;
  const ParameterTable table = small_table();
  StateLayout layout{.table = &table, .slots = {"m", "v"}, .average = false, .replicas = 3};
  const StateArrays arrays = some_arrays(layout);
  put_checkpoint(folder / "a.h5", some_header(), layout, arrays);
  layout.replicas = 0;
  const StateArrays read = CheckpointDecoder(folder / "a.h5").read(layout);
  CHECK(read.parameters == arrays.parameters);
  CHECK(read.replicas.empty());
  REQUIRE(read.slots.size() == 2);
  for (std::size_t slot = 0; slot < 2; ++slot) {
    for (std::size_t at = 0; at < read.slots[slot].size(); ++at) {
      const double sum = double{arrays.replicas[0][slot][at]} + double{arrays.replicas[1][slot][at]} +
                         double{arrays.replicas[2][slot][at]};
      CHECK(read.slots[slot][at] == static_cast<float>(sum / 3));
    }
  }
}

TEST_CASE("the same state gives the same bytes, on any thread at any time") {
  const ParameterTable table = odd_table();
  const StateLayout layout{.table = &table, .slots = {"m"}, .average = true};
  const StateArrays arrays = some_arrays(layout);
  const EncodedCheckpoint first(some_header(), layout, arrays);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // HDF5's times are in seconds
  std::vector<std::thread> threads;
  std::vector<int> same(3);
  threads.reserve(same.size());
  for (int& result : same) {
    threads.emplace_back([&] {
      const EncodedCheckpoint again(some_header(), layout, arrays);
      result = std::ranges::equal(first.bytes(), again.bytes()) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(same == std::vector<int>{1, 1, 1});
}

TEST_CASE("the seal is zlib's checksum over all that is before it, and HDF5's part ends there") {
  const ParameterTable table = small_table();
  const StateLayout layout{.table = &table, .slots = {"m"}};
  const EncodedCheckpoint image(some_header(), layout, some_arrays(layout));
  const auto bytes = image.bytes();
  const auto seal = bytes.last(kSealBytes);
  CHECK(std::memcmp(seal.data(), "lockstep seal 1", 16) == 0);
  CHECK(little_endian(seal.subspan(16)) == bytes.size() - kSealBytes);
  CHECK(little_endian(seal.subspan(24)) ==
        crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size() - kSealBytes)));
  // HDF5 File Format Specification 3.0, II.A: a superblock of version 3 has the end of the file at byte 28.
  CHECK(bytes[8] == std::byte{3});
  CHECK(little_endian(bytes.subspan(28)) == bytes.size() - kSealBytes);
}

TEST_CASE("texts of any length") {
  const TemporaryFolder folder;
  const ParameterTable table = small_table();
  const StateLayout layout{.table = &table};
  const StateArrays arrays = some_arrays(layout);
  CheckpointHeader header = some_header();
  for (const std::size_t length : {1, 65'000, 65'536, 70'001, 3'000'000}) {
    header.hparams = R"({"text": ")" + std::string(length, 'x') + "\"}";
    header.model = length == 1 ? "" : "a model";
    put_checkpoint(folder / "a.h5", header, layout, arrays);
    CHECK(equal(CheckpointDecoder(folder / "a.h5").header(), header));
  }
}

TEST_CASE("a vocabulary of any length") {
  const TemporaryFolder folder;
  const ParameterTable table = small_table();
  const StateLayout layout{.table = &table};
  CheckpointHeader header = some_header();
  for (const std::size_t length : {1, 70'001, 3'000'000}) {
    header.vocabulary = R"({"unit":"word","words":[")" + std::string(length, 'x') + "\"]}";
    header.shape = shape_to_json({.sample = ProblemShape::Sample::sequence,
                                  .input = {},
                                  .outputs = 4,
                                  .input_type = DType::int32,
                                  .vocabulary = 4,
                                  .vocabulary_digest = vocabulary_digest(header.vocabulary)});
    put_checkpoint(folder / "a.h5", header, layout, some_arrays(layout));
    CHECK(equal(CheckpointDecoder(folder / "a.h5").header(), header));
  }
}

TEST_CASE("missed batches of any size, and a file without any is one of an older version") {
  const TemporaryFolder folder;
  const ParameterTable table = small_table();
  const StateLayout layout{.table = &table};
  const auto version_of = [&](const CheckpointHeader& header) {
    put_checkpoint(folder / "a.h5", header, layout, some_arrays(layout));
    const CheckpointDecoder reader(folder / "a.h5");
    CHECK(equal(reader.header(), header));
    CHECK(equal(reader.read(layout), some_arrays(layout)));
    return CheckpointHdf5Reader(folder / "a.h5").whole_number("format_version");
  };
  CheckpointHeader header = some_header();
  CHECK(version_of(header) == 1);
  std::vector<std::int64_t> two_chunks(700'001);
  std::iota(two_chunks.begin(), two_chunks.end(), std::int64_t{1} << 40);
  for (const auto& missed :
       std::vector<std::vector<std::vector<std::int64_t>>>{{{0}}, {{7, 3, 5}, {7}, {1, 0}}, {two_chunks, {2}}}) {
    header.cursor.missed = missed;
    CHECK(version_of(header) == 3);
  }
  header.vocabulary = R"({"unit":"byte"})";
  header.shape = shape_to_json({.sample = ProblemShape::Sample::sequence,
                                .input = {},
                                .outputs = 259,
                                .input_type = DType::int32,
                                .vocabulary = 259,
                                .vocabulary_digest = vocabulary_digest(header.vocabulary)});
  CHECK(version_of(header) == 3);
  header.cursor.missed.clear();
  CHECK(version_of(header) == 2);
  for (const auto& wrong : std::vector<std::vector<std::vector<std::int64_t>>>{{{1}, {}}, {{}}}) {
    header.cursor.missed = wrong;
    CHECK_THROWS_AS(EncodedCheckpoint(header, layout, some_arrays(layout)), Error);
  }
}

TEST_CASE("chunks are at most 4 MiB, and hold equal parts") {
  CHECK(chunk_of(Shape({784, 256})) == Shape({784, 256}));
  CHECK(chunk_of(Shape({1 << 20})) == Shape({1 << 20}));
  CHECK(chunk_of(Shape({(1 << 20) + 1})) == Shape({(1 << 19) + 1}));
  CHECK(chunk_of(Shape({4096, 4096})) == Shape({256, 4096}));
  CHECK(chunk_of(Shape({3, 5'000'000})) == Shape({1, 1'000'000}));
  CHECK(chunk_of(Shape({2, 3, 1 << 21, 2})) == Shape({1, 1, 1 << 19, 2}));
  CHECK(chunk_of(Shape({1 << 19}), 8) == Shape({1 << 19}));
  CHECK(chunk_of(Shape({(1 << 19) + 1}), 8) == Shape({(1 << 18) + 1}));
}

TEST_CASE("a state that is not as its layout says is a mistake of ours") {
  const ParameterTable table = small_table();
  const StateLayout layout{.table = &table, .slots = {"m"}, .average = true};
  const StateArrays right = some_arrays(layout);
  for (const auto& spoil : std::initializer_list<void (*)(StateArrays&)>{
           [](StateArrays& arrays) { arrays.parameters.pop_back(); }, [](StateArrays& arrays) { arrays.slots.clear(); },
           [](StateArrays& arrays) { arrays.average.clear(); },
           [](StateArrays& arrays) { arrays.replicas.resize(1); }}) {
    StateArrays wrong = right;
    spoil(wrong);
    CHECK_THROWS_AS(EncodedCheckpoint(some_header(), layout, wrong), Error);
  }
  CheckpointHeader header = some_header();
  header.model.push_back('\0');
  CHECK_THROWS_AS(EncodedCheckpoint(header, layout, right), Error);
}

}  // namespace lockstep
