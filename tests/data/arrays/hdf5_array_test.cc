#include "data/arrays/hdf5_array.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <hdf5.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

#include "data/hdf5_files.h"
#include "data/idx_files.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

std::unique_ptr<ArraySource> open(const std::string& path, const std::string& data_set = "inputs") {
  return open_hdf5_array(std::make_shared<const Hdf5File>(path), data_set);
}

template <class T>
std::vector<T> read(const ArraySource& source, std::int64_t first, std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count * source.form().row_elements()));
  source.read(first, count, std::as_writable_bytes(std::span(values)));
  return values;
}

std::vector<float> numbers(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

void refused(const TemporaryFolder& folder, std::initializer_list<std::string> parts) {
  check_error(ExitCode::bad_data, parts, [&] { open(folder / "a.h5"); });
}

}  // namespace

TEST_CASE("rows of a data set, contiguous, chunked and packed") {
  const std::vector<float> values = numbers(42);
  const Hdf5Layout layouts[] = {
      {}, {.chunk = {2, 3, 2}}, {.chunk = {2, 2, 1}, .gzip = true}, {.chunk = {7, 3, 2}, .checksum = true}};
  for (const auto& layout : layouts) {
    const TemporaryFolder folder;
    Hdf5Writer(folder / "a.h5").array("inputs", {7, 3, 2}, values, layout);
    const auto source = open(folder / "a.h5");
    CHECK(source->form().type == ElementType::float32);
    CHECK(source->form().extents == Shape{7, 3, 2});
    CHECK(source->form().unit_rows == (layout.chunk.empty() ? 1 : static_cast<std::int64_t>(layout.chunk[0])));
    CHECK(read<float>(*source, 0, 7) == values);
    CHECK(read<float>(*source, 3, 2) == std::vector<float>(values.begin() + 18, values.begin() + 30));
    check_error(ExitCode::internal, {"outside"}, [&] { read<float>(*source, 6, 2); });
  }
}

TEST_CASE("a large chunk counts as one unit only if it is packed") {
  const TemporaryFolder folder;
  Hdf5Writer(folder / "a.h5").array("inputs", {3 << 20}, std::vector<std::uint16_t>(3 << 20), {.chunk = {3 << 20}});
  CHECK(open(folder / "a.h5")->form().unit_rows == 1);
  Hdf5Writer(folder / "b.h5")
      .array("inputs", {3 << 20}, std::vector<std::uint16_t>(3 << 20), {.chunk = {3 << 20}, .gzip = true});
  CHECK(open(folder / "b.h5")->form().unit_rows == 3 << 20);
}

TEST_CASE("all types, and the other byte order") {
  const TemporaryFolder folder;
  {
    Hdf5Writer writer(folder / "a.h5");
    writer.array("u1", {2}, std::vector<std::uint8_t>{1, 255});
    writer.array("i8", {2}, std::vector<std::int64_t>{1, -255});
    writer.array("f8", {2}, std::vector<double>{0.5, -2});
    const std::int32_t integers[] = {258, -2};
    writer.write("i4 big", {2}, H5T_STD_I32BE, integers, {}, H5T_NATIVE_INT32);
    const float reals[] = {1.5F, -2};
    writer.write("f4 big", {2}, H5T_IEEE_F32BE, reals, {}, H5T_NATIVE_FLOAT);
    const hid_t half = H5Tcopy(H5T_IEEE_F32LE);
    H5Tset_fields(half, 15, 10, 5, 0, 10);
    H5Tset_size(half, 2);
    H5Tset_ebias(half, 15);
    writer.write("f2", {2}, half, reals, {}, H5T_NATIVE_FLOAT);
    H5Tset_order(half, H5T_ORDER_BE);
    writer.write("f2 big", {2}, half, reals, {}, H5T_NATIVE_FLOAT);
    H5Tclose(half);
  }
  CHECK(read<std::uint8_t>(*open(folder / "a.h5", "u1"), 0, 2) == std::vector<std::uint8_t>{1, 255});
  CHECK(read<std::int64_t>(*open(folder / "a.h5", "i8"), 0, 2) == std::vector<std::int64_t>{1, -255});
  CHECK(read<double>(*open(folder / "a.h5", "f8"), 0, 2) == std::vector<double>{0.5, -2});
  CHECK(read<std::int32_t>(*open(folder / "a.h5", "i4 big"), 0, 2) == std::vector<std::int32_t>{258, -2});
  CHECK(read<float>(*open(folder / "a.h5", "f4 big"), 0, 2) == std::vector<float>{1.5F, -2});
  for (const std::string name : {"f2", "f2 big"}) {
    const auto source = open(folder / "a.h5", name);
    CHECK(source->form().type == ElementType::float16);
    CHECK(read<std::uint16_t>(*source, 0, 2) == std::vector<std::uint16_t>{0x3E00, 0xC000});
  }
}

TEST_CASE("an absent data set: what there is is listed") {
  const TemporaryFolder folder;
  {
    Hdf5Writer writer(folder / "a.h5");
    writer.array("images", {1}, std::vector<float>{1});
    writer.array("labels", {1}, std::vector<float>{1});
    writer.group("more");
  }
  refused(folder, {folder / "a.h5", "no data set inputs", "images, labels, more/ (a group)", "inputs and targets"});
  check_error(ExitCode::bad_data, {"no data set more"}, [&] { open(folder / "a.h5", "more"); });
  { const Hdf5Writer empty(folder / "a.h5"); }
  refused(folder, {"nothing at all"});
}

TEST_CASE("links are not followed, wherever they lead, and are named as what they are") {
  const TemporaryFolder folder;
  Hdf5Writer(folder / "other.h5").array("inputs", {3}, numbers(3));
  {
    Hdf5Writer writer(folder / "a.h5");
    writer.array("real", {3}, numbers(3));
    writer.group("group");
    H5Lcreate_soft("/real", writer.id(), "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("other.h5", "/inputs", writer.id(), "external", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(writer.id(), "real", writer.id(), "hard", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(writer.id(), "/", writer.id(), "group/loop", H5P_DEFAULT, H5P_DEFAULT);
  }
  CHECK(read<float>(*open(folder / "a.h5", "hard"), 0, 3) == numbers(3));
  check_error(ExitCode::bad_data, {"a.h5', data set soft", "a soft link", "links are not followed"},
              [&] { open(folder / "a.h5", "soft"); });
  check_error(ExitCode::bad_data, {"a.h5', data set external", "an external link"},
              [&] { open(folder / "a.h5", "external"); });
  refused(folder,
          {"no data set inputs", "external (an external link), group/ (a group), hard, real, soft (a soft link)"});
}

TEST_CASE("a type that is an object of its own is refused") {
  const TemporaryFolder folder;
  {
    Hdf5Writer writer(folder / "a.h5");
    const hid_t type = H5Tcopy(H5T_NATIVE_FLOAT);
    H5Tcommit2(writer.id(), "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    writer.write("inputs", {3}, type, numbers(3).data());
    H5Tclose(type);
  }
  refused(folder, {"a.h5', data set inputs", "its type is a named one"});
  check_error(ExitCode::bad_data, {"no data set type", "type (a type)"}, [&] { open(folder / "a.h5", "type"); });
}

TEST_CASE("a chunk that unpacks to less than its size is found when its rows are read") {
  const TemporaryFolder folder;
  {
    Hdf5Writer writer(folder / "a.h5");
    writer.array("inputs", {10}, numbers(10), {.chunk = {4}, .gzip = true});
    writer.stored_chunk("inputs", {4}, zlib_packed(Bytes(10, 'a')));
  }
  const auto source = open(folder / "a.h5");
  CHECK(read<float>(*source, 0, 4) == numbers(4));
  check_error(ExitCode::bad_data, {"a.h5', data set inputs", "rows 4 to 7", "10 bytes, not to its 16"},
              [&] { read<float>(*source, 0, 10); });
}

TEST_CASE("elements that are no plain numbers are refused by name") {
  const auto holds = [](std::int64_t type, const std::string& what) {
    CAPTURE(what);
    const TemporaryFolder folder;
    Hdf5Writer(folder / "a.h5").write("inputs", {2}, type, nullptr);
    refused(folder, {"a.h5', data set inputs", "it holds " + what, "astype"});
    H5Tclose(type);
  };
  const hid_t fixed_text = H5Tcopy(H5T_C_S1);
  H5Tset_size(fixed_text, 5);
  holds(fixed_text, "text");
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, H5T_VARIABLE);
  holds(text, "text");
  const hid_t complex = H5Tcreate(H5T_COMPOUND, 8);
  H5Tinsert(complex, "r", 0, H5T_NATIVE_FLOAT);
  H5Tinsert(complex, "i", 4, H5T_NATIVE_FLOAT);
  holds(complex, "complex numbers");
  const hid_t record = H5Tcreate(H5T_COMPOUND, 8);
  H5Tinsert(record, "x", 0, H5T_NATIVE_FLOAT);
  H5Tinsert(record, "y", 4, H5T_NATIVE_INT);
  holds(record, "records of several fields");
  const hid_t boolean = H5Tenum_create(H5T_NATIVE_INT8);
  for (std::int8_t value = 0; value < 2; ++value) H5Tenum_insert(boolean, value == 0 ? "FALSE" : "TRUE", &value);
  holds(boolean, "booleans");
  holds(H5Tvlen_create(H5T_NATIVE_FLOAT), "rows of different lengths");
  const hsize_t three = 3;
  holds(H5Tarray_create2(H5T_NATIVE_FLOAT, 1, &three), "arrays as elements");
  holds(H5Tcopy(H5T_NATIVE_LDOUBLE), "numbers of an unusual format");
  holds(H5Tcopy(H5T_STD_REF_OBJ), "references");
}

TEST_CASE("a data set whose writer stopped half way is refused: what is missing would be read as zeros") {
  const TemporaryFolder folder;
  {
    Hdf5Writer writer(folder / "a.h5");
    writer.write("inputs", {10, 3}, H5T_NATIVE_FLOAT, nullptr, {.chunk = {4, 3}});
    const hid_t data_set = H5Dopen2(writer.id(), "inputs", H5P_DEFAULT);
    const hid_t space = H5Dget_space(data_set);
    const std::array<hsize_t, 2> start{0, 0};
    const std::array<hsize_t, 2> count{4, 3};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    const hid_t memory = H5Screate_simple(2, count.data(), nullptr);
    const std::vector<float> values(12, 1.0F);
    CHECK(H5Dwrite(data_set, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, values.data()) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(data_set);
  }
  refused(folder, {"(10, 3)", "only a part of that was ever written"});
}

TEST_CASE("shapes that are none, and values never written") {
  const auto shape = [](const std::vector<std::uint64_t>& extents, std::initializer_list<std::string> parts) {
    const TemporaryFolder folder;
    Hdf5Writer(folder / "a.h5").write("inputs", extents, H5T_NATIVE_FLOAT, nullptr);
    refused(folder, parts);
  };
  shape({}, {"single number"});
  shape({0, 3}, {"(0, 3)", "no samples"});
  shape({1, 1, 1, 1, 1, 2}, {"6 axes"});
  shape({5, 2}, {"(5, 2)", "no value was ever written"});
}

TEST_CASE("what is no HDF5 file, and one that is cut off") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5", Bytes(100, 'x'));
  refused(folder, {folder / "a.h5", "no HDF5 file"});
  write_file(folder / "a.h5", {});
  refused(folder, {"no HDF5 file"});
  Hdf5Writer(folder / "a.h5").array("inputs", {1000}, numbers(1000));
  std::filesystem::resize_file(folder / "a.h5", 3000);
  refused(folder, {"a.h5", "cut off or damaged", "truncated file"});
  check_error(ExitCode::missing_input, {"cannot read", "No such file"}, [&] { open(folder / "b.h5"); });
  check_error(ExitCode::missing_input, {"cannot read", "folder"}, [&] { open(folder.path()); });
}

TEST_CASE("a file that somebody is writing") {
  const TemporaryFolder folder;
  Hdf5Writer(folder / "a.h5").array("inputs", {10}, numbers(10));
  const int file = ::open((folder / "a.h5").c_str(), O_RDWR);
  REQUIRE(flock(file, LOCK_EX) == 0);  // as the library locks a file opened for writing
  refused(folder, {"a.h5", "is being written by another program"});
  ::close(file);
  CHECK(open(folder / "a.h5")->form().rows() == 10);
}

TEST_CASE("a packing that this library does not know") {
  const TemporaryFolder folder;
  Hdf5Writer(folder / "a.h5").array("inputs", {10}, numbers(10), {.chunk = {5}, .unknown_filter = true});
  refused(folder, {"a.h5', data set inputs", "filter 511", "compression='gzip'"});
}

TEST_CASE("a damaged chunk is found by its checksum and named by its samples") {
  const TemporaryFolder folder;
  Hdf5Writer(folder / "a.h5")
      .array("inputs", {1000}, std::vector<float>(1000, 7.0F), {.chunk = {100}, .checksum = true});
  {
    std::fstream file(folder / "a.h5", std::ios::in | std::ios::out | std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), {});
    const std::size_t at = bytes.rfind(std::string("\0\0\xE0\x40", 4));
    REQUIRE(at != std::string::npos);
    file.clear();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(1);
  }
  const auto source = open(folder / "a.h5");
  check_error(ExitCode::bad_data, {"a.h5', data set inputs", "samples 0 to 999", "damaged", "HDF5:"},
              [&] { read<float>(*source, 0, 1000); });
}

TEST_CASE("a file that changes while it is read") {
  const TemporaryFolder folder;
  Hdf5Writer(folder / "a.h5").array("inputs", {10}, numbers(10));
  const auto source = open(folder / "a.h5");
  read<float>(*source, 0, 10);
  const auto before = std::filesystem::last_write_time(folder / "a.h5");
  std::filesystem::last_write_time(folder / "a.h5", before + std::chrono::seconds(1));
  check_error(ExitCode::bad_data, {"a.h5", "written to while it was being read"}, [&] { read<float>(*source, 0, 1); });
}

TEST_CASE("attributes: one whole number or none") {
  const TemporaryFolder folder;
  {
    Hdf5Writer writer(folder / "a.h5");
    writer.array("targets", {10}, numbers(10));
    writer.attribute("targets", "num_classes", 12);
    writer.text_attribute("targets", "text", "12");
  }
  const Hdf5File file(folder / "a.h5");
  CHECK(file.integer_attribute("targets", "num_classes") == 12);
  CHECK_FALSE(file.integer_attribute("targets", "absent").has_value());
  check_error(ExitCode::bad_data, {"data set targets", "attribute text is not one whole number"},
              [&] { (void)file.integer_attribute("targets", "text"); });
}

TEST_CASE("several threads read one file") {
  const TemporaryFolder folder;
  const std::vector<float> values = numbers(10000);
  Hdf5Writer(folder / "a.h5").array("inputs", {10000}, values, {.chunk = {100}, .gzip = true});
  const auto source = open(folder / "a.h5");
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::int64_t at = thread; at < 100; at += 4) {
        const std::vector<float> rows = read<float>(*source, 100 * at, 100);
        wrong += rows[99] == static_cast<float>(100 * at + 99) ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

}  // namespace lockstep
