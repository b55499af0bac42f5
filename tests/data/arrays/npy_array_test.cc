#include "data/arrays/npy_array.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "data/npy_files.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

template <class T>
std::vector<T> read(const ArraySource& source, std::int64_t first, std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count * source.form().row_elements()));
  source.read(first, count, std::as_writable_bytes(std::span(values)));
  return values;
}

void refused(const Bytes& bytes, std::initializer_list<std::string> parts) {
  const TemporaryFolder folder;
  write_file(folder / "a.npy", bytes);
  check_error(ExitCode::bad_data, parts, [&] { open_npy(folder / "a.npy"); });
}

const std::vector<float> kValues = {0, 1, 2, 3, 4, 5};

}  // namespace

TEST_CASE("rows of a .npy file, from any place") {
  const TemporaryFolder folder;
  write_file(folder / "a.npy", npy<float>({3, 2}, kValues));
  const auto source = open_npy(folder / "a.npy");
  CHECK(source->form().type == ElementType::float32);
  CHECK(source->form().extents == Shape{3, 2});
  CHECK(source->form().row_bytes() == 8);
  CHECK(source->form().unit_rows == 1);
  CHECK(read<float>(*source, 0, 3) == kValues);
  CHECK(read<float>(*source, 1, 1) == std::vector<float>{2, 3});
  CHECK(read<float>(*source, 3, 0).empty());
  check_error(ExitCode::internal, {"outside"}, [&] { read<float>(*source, 2, 2); });
}

TEST_CASE("the other byte order is turned round") {
  const TemporaryFolder folder;
  write_file(folder / "a.npy", npy_bytes(npy_header(">i4", {2}), {0, 0, 1, 2, 0xFF, 0xFF, 0xFF, 0xFE}));
  CHECK(read<std::int32_t>(*open_npy(folder / "a.npy"), 0, 2) == std::vector<std::int32_t>{258, -2});
}

TEST_CASE("fewer or more bytes than the header says") {
  const Bytes sound = npy<float>({3, 2}, kValues);
  for (std::size_t missing = 1; missing <= 24; ++missing) {
    refused(cut(sound, sound.size() - missing), {"a.npy", "cut off", "(3, 2) of float32", "152 bytes"});
  }
  refused(joined(sound, {0}), {"a.npy", "goes on", "152 bytes", "153"});
  refused(npy_bytes(npy_header("<f4", {std::int64_t{1} << 40}), {}), {"cut off", "(1099511627776)"});
}

TEST_CASE("shapes that are none") {
  refused(npy_bytes(npy_header("<f4", {}), bytes_of<float>({1})), {"a.npy", "single number"});
  refused(npy<float>({0, 3}, {}), {"shape is (0, 3)", "no samples"});
  refused(npy<float>({3, 0}, {}), {"without any value"});
  refused(npy<float>({1, 1, 1, 1, 1, 1}, {1}), {"6 axes", "at most 5"});
  refused(npy_bytes(npy_header("<f8", {std::int64_t{1} << 62, std::int64_t{1} << 62}), {}), {"more than any file"});
}

TEST_CASE("Fortran order is refused by name, unless it makes no difference") {
  const auto fortran = [](const std::string& shape) {
    return npy_bytes("{'descr': '<f4', 'fortran_order': True, 'shape': " + shape + ", }", bytes_of(kValues));
  };
  refused(fortran("(3, 2)"), {"a.npy", "Fortran order", "numpy.ascontiguousarray"});
  const TemporaryFolder folder;
  write_file(folder / "a.npy", fortran("(6, 1)"));
  CHECK(read<float>(*open_npy(folder / "a.npy"), 0, 6) == kValues);
}

TEST_CASE("objects are never looked at") {
  refused(npy_bytes(npy_header("|O", {1}), {0x80, 4, 'c', 'o', 's', '\n'}), {"a.npy", "Python objects"});
}

TEST_CASE("a file that is not there, or is none") {
  const TemporaryFolder folder;
  check_error(ExitCode::missing_input, {"cannot read", folder / "a.npy", "No such file"},
              [&] { open_npy(folder / "a.npy"); });
  check_error(ExitCode::missing_input, {"cannot read", "folder"}, [&] { open_npy(folder.path()); });
}

TEST_CASE("a file that changes while it is read") {
  const TemporaryFolder folder;
  const Bytes sound = npy<float>({3, 2}, kValues);
  const auto changed = [&](std::initializer_list<std::string> parts, auto change) {
    write_file(folder / "a.npy", sound);
    const auto source = open_npy(folder / "a.npy");
    read<float>(*source, 0, 3);
    change(folder / "a.npy");
    check_error(ExitCode::bad_data, parts, [&] { read<float>(*source, 0, 3); });
  };
  changed({"a.npy", "size from 152 to 140"}, [&](const std::string& path) { std::filesystem::resize_file(path, 140); });
  changed({"a.npy", "written to"}, [&](const std::string& path) {
    std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::seconds(1));
  });
  changed({"a.npy", "went away"}, [&](const std::string& path) { std::filesystem::remove(path); });
  changed({"a.npy", "replaced"}, [&](const std::string& path) {
    write_file(folder / "b.npy", sound);
    std::filesystem::rename(folder / "b.npy", path);
  });
}

}  // namespace lockstep
