#include "data/arrays/hdf5_chunks.h"

#include <doctest/doctest.h>
#include <hdf5.h>

#include <numeric>

#include "data/arrays/hdf5_handle.h"
#include "data/hdf5_files.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

// Opens a data set of a file that is still being written.
Hdf5Handle opened(const Hdf5Writer& file, const char* name = "a") {
  return {H5Dopen2(file.id(), name, H5P_DEFAULT), H5Dclose};
}

void check_fault(const std::optional<std::string>& found, std::initializer_list<std::string> parts) {
  REQUIRE(found.has_value());
  CAPTURE(*found);
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(found->find(part) != std::string::npos);
  }
}

void check_sound(const std::optional<std::string>& found) {
  CAPTURE(found.value_or("sound"));
  CHECK_FALSE(found.has_value());
}

// Shape (10, 3, 5) of two-byte elements in chunks of (4, 3, 2): three rows of three chunks of 48 bytes, most of which
// extend beyond an edge.
const std::vector<std::uint64_t> kShape{10, 3, 5};
const std::vector<std::uint64_t> kChunk{4, 3, 2};
constexpr std::size_t kChunkBytes = 48;

using Rows = std::vector<std::uint64_t>;

void write_values(Hdf5Writer& file, const Hdf5Layout& layout) {
  std::vector<std::uint16_t> values(150);
  std::iota(values.begin(), values.end(), std::uint16_t{0});
  file.array("a", kShape, values, layout);
}

}  // namespace

TEST_CASE("data sets as they should be have no fault, whatever their layout") {
  const Hdf5Layout layouts[] = {{},
                                {.chunk = kChunk},
                                {.chunk = kChunk, .gzip = true},
                                {.chunk = kChunk, .checksum = true},
                                {.chunk = kChunk, .shuffle = true},
                                {.chunk = kChunk, .shuffle = true, .gzip = true, .checksum = true},
                                {.chunk = {1, 1, 1}, .shuffle = true, .gzip = true},
                                {.chunk = {10, 3, 5}, .gzip = true, .checksum = true}};
  for (const Hdf5Layout& layout : layouts) {
    const TemporaryFolder folder;
    Hdf5Writer file(folder / "a.h5");
    write_values(file, layout);
    const Hdf5Handle data_set = opened(file);
    check_sound(check_chunks(data_set.id()));
    CHECK(Hdf5Chunks(data_set.id()).rows() == 10);
  }
}

TEST_CASE("a single number has no rows and no fault") {
  const TemporaryFolder folder;
  Hdf5Writer file(folder / "a.h5");
  file.array("a", {}, std::vector<float>{1});
  check_sound(check_chunks(opened(file).id()));
}

TEST_CASE("a chunk that unpacks to another size is named by its rows, and only those who ask for them learn of it") {
  for (const std::size_t bytes : {kChunkBytes - 1, kChunkBytes + 1}) {
    const TemporaryFolder folder;
    Hdf5Writer file(folder / "a.h5");
    write_values(file, {.chunk = kChunk, .gzip = true});
    file.stored_chunk("a", {4, 0, 2}, zlib_packed(Bytes(bytes)));
    const Hdf5Handle data_set = opened(file);
    Hdf5Chunks chunks(data_set.id());
    check_sound(chunks.fault());
    check_sound(chunks.fault_in_rows(0, 4));
    check_sound(chunks.fault_in_rows(8, 2));
    check_sound(chunks.fault_in_rows(5, 0));
    check_fault(chunks.fault_in_rows(0, 10), {"chunk of its rows 4 to 7 unpacks to ", "damaged"});
    check_fault(chunks.fault_in_rows(7, 1), {"rows 4 to 7", "48"});
    check_fault(check_chunks(data_set.id()), {"rows 4 to 7"});
  }
}

TEST_CASE("a chunk is looked at once") {
  const TemporaryFolder folder;
  Hdf5Writer file(folder / "a.h5");
  write_values(file, {.chunk = kChunk, .gzip = true});
  const Hdf5Handle data_set = opened(file);
  Hdf5Chunks chunks(data_set.id());
  check_sound(chunks.fault_in_rows(0, 8));
  for (const std::uint64_t row : Rows{0, 8}) file.stored_chunk("a", {row, 0, 0}, zlib_packed(Bytes(3)));
  check_sound(chunks.fault_in_rows(0, 8));
  check_fault(chunks.fault_in_rows(8, 1), {"rows 8 to 9"});
  check_fault(Hdf5Chunks(data_set.id()).fault_in_rows(0, 1), {"rows 0 to 3"});
}

TEST_CASE("a chunk that went without a filter is as long as its values") {
  const TemporaryFolder folder;
  Hdf5Writer file(folder / "a.h5");
  write_values(file, {.chunk = kChunk, .gzip = true});
  file.stored_chunk("a", {0, 0, 0}, Bytes(kChunkBytes), 1);
  const Hdf5Handle data_set = opened(file);
  check_sound(check_chunks(data_set.id()));
  file.stored_chunk("a", {0, 0, 0}, Bytes(kChunkBytes - 1), 1);
  check_fault(check_chunks(data_set.id()), {"rows 0 to 3", "47 bytes", "not 48"});
}

TEST_CASE("chunks at the edges that are not packed, as newer files may have them") {
  const TemporaryFolder folder;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  const Hdf5Handle file(H5Fcreate((folder / "a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose);
  const hsize_t extent = 7;
  const hsize_t chunk = 4;
  const Hdf5Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(creation.id(), 1, &chunk);
  H5Pset_deflate(creation.id(), 4);
  REQUIRE(H5Pset_chunk_opts(creation.id(), H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) >= 0);
  const Hdf5Handle data_set(
      H5Dcreate2(file.id(), "a", H5T_NATIVE_FLOAT, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), H5Dclose);
  const std::vector<float> values{1, 2, 3, 4, 5, 6, 7};
  REQUIRE(H5Dwrite(data_set.id(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  REQUIRE(H5Fflush(file.id(), H5F_SCOPE_LOCAL) >= 0);
  check_sound(check_chunks(data_set.id()));
}

TEST_CASE("values that were never written") {
  const TemporaryFolder folder;
  Hdf5Writer file(folder / "a.h5");
  file.write("plain", {3}, H5T_NATIVE_FLOAT, nullptr);
  file.write("none", {9}, H5T_NATIVE_FLOAT, nullptr, {.chunk = {2}, .gzip = true});
  file.write("part", {9}, H5T_NATIVE_FLOAT, nullptr, {.chunk = {2}, .gzip = true});
  for (const std::uint64_t row : Rows{0, 2, 6, 8}) file.stored_chunk("part", {row}, zlib_packed(Bytes(8)));
  check_fault(check_chunks(opened(file, "plain").id()), {"shape (3)", "no value was ever written"});
  check_fault(check_chunks(opened(file, "none").id()), {"shape (9)", "no value was ever written"});
  const Hdf5Handle part = opened(file, "part");
  check_fault(check_chunks(part.id()), {"shape (9)", "only a part of that was ever written"});
  check_fault(Hdf5Chunks(part.id()).fault_in_rows(0, 9), {"rows 4 to 5 was never written"});
}

TEST_CASE("filters whose result cannot be told are refused by name") {
  const TemporaryFolder folder;
  Hdf5Writer file(folder / "a.h5");
  file.array("unknown", {4}, std::vector<float>(4), {.chunk = {2}, .unknown_filter = true});
  check_fault(check_chunks(opened(file, "unknown").id()), {"filter 511", "compression='gzip'"});

  const hsize_t extent = 4;
  const Hdf5Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
  const auto create = [&](const char* name, const auto& filter) {
    const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(creation.id(), 1, &extent);
    filter(creation.id());
    return Hdf5Handle(
        H5Dcreate2(file.id(), name, H5T_NATIVE_INT32, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), H5Dclose);
  };
  const Hdf5Handle offset = create("offset", [](hid_t creation) { H5Pset_scaleoffset(creation, H5Z_SO_INT, 0); });
  check_fault(check_chunks(offset.id()), {"filter 6 'scaleoffset'"});
  const Hdf5Handle twice = create("twice", [](hid_t creation) {
    H5Pset_deflate(creation, 1);
    H5Pset_deflate(creation, 2);
  });
  check_fault(check_chunks(twice.id()), {"gzip twice"});
}

TEST_CASE("a chunk that is larger than all values together is refused before anything is read") {
  const TemporaryFolder folder;
  const Hdf5Writer file(folder / "a.h5");
  const hsize_t extent = 10;
  const hsize_t unlimited = H5S_UNLIMITED;
  const auto fault_with = [&](const char* name, hsize_t chunk) {
    const Hdf5Handle space(H5Screate_simple(1, &extent, &unlimited), H5Sclose);
    const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(creation.id(), 1, &chunk);
    H5Pset_deflate(creation.id(), 4);
    const Hdf5Handle data_set(
        H5Dcreate2(file.id(), name, H5T_NATIVE_FLOAT, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), H5Dclose);
    return check_chunks(data_set.id());
  };
  check_fault(fault_with("large", 256 << 20), {"1073741824 bytes", "take 40", "smaller chunks"});
  check_fault(fault_with("possible", 4 << 20), {"no value was ever written"});
}

}  // namespace lockstep
