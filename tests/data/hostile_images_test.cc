#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "data/problems.h"
#include "hostile_files.h"
#include "idx_files.h"
#include "support/temporary_folder.h"

// idx files of MNIST's kind, plain and packed, one of which is malformed.
namespace lockstep {
namespace {

struct IdxFile {
  std::string name;
  std::vector<std::uint32_t> extents;

  std::size_t values() const {
    std::size_t count = 1;
    for (const std::uint32_t extent : extents) count *= extent;
    return count;
  }
  Bytes sound() const { return idx_bytes(extents, Bytes(values())); }
};

const IdxFile kFiles[] = {{"train-images-idx3-ubyte", {5, 3, 2}},
                          {"train-labels-idx1-ubyte", {5}},
                          {"t10k-images-idx3-ubyte", {4, 3, 2}},
                          {"t10k-labels-idx1-ubyte", {4}}};

struct Form {
  std::string what;
  Bytes bytes;
};

// Malformed contents of a file, before packing.
std::vector<Form> contents(const IdxFile& file) {
  const Bytes whole = file.sound();
  std::vector<Form> forms = {{"a byte more", joined(whole, {0})},
                             {"twice", joined(whole, whole)},
                             {"a megabyte more", joined(whole, Bytes(1'000'000))},
                             {"values alone", Bytes(file.values(), 'x')},
                             {"text", Bytes(100, '<')}};
  for (std::size_t size = 0; size < whole.size(); ++size) {
    forms.push_back({"cut at " + std::to_string(size), cut(whole, size)});
  }
  for (std::size_t at = 0; at < 4; ++at) forms.push_back({"magic " + std::to_string(at), flipped(whole, at)});
  const std::uint32_t kExtents[] = {0, 1, 6, 0x80000000U, 0xFFFFFFFFU};
  for (std::size_t axis = 0; axis < file.extents.size(); ++axis) {
    for (const std::uint32_t extent : kExtents) {
      std::vector<std::uint32_t> extents = file.extents;
      extents[axis] = extent;
      forms.push_back({"extent " + std::to_string(extent), idx_bytes(extents, Bytes(file.values()))});
    }
  }
  const std::vector<std::uint32_t> everything(file.extents.size(), 0xFFFFFFFFU);
  forms.push_back({"extents beyond all memory", idx_bytes(everything, Bytes(file.values()))});
  return forms;
}

// Malformed packings.
std::vector<Form> packings(const IdxFile& file) {
  const Bytes whole = packed(file.sound());
  std::vector<Form> forms = {{"something behind it", joined(whole, {1, 2, 3})},
                             {"a second member", joined(whole, packed({1}))},
                             {"packed twice", packed(whole)},
                             {"packed as zlib does", zlib_packed(file.sound())},
                             {"a bomb", packed(joined(file.sound(), Bytes(50'000'000)))}};
  for (std::size_t size = 2; size < whole.size(); ++size) {
    forms.push_back({"cut at " + std::to_string(size), cut(whole, size)});
  }
  for (std::size_t back = 1; back <= 8; ++back) {
    forms.push_back({"checksum " + std::to_string(back), flipped(whole, whole.size() - back)});
  }
  return forms;
}

void write_sound_files(const TemporaryFolder& folder, const std::string& except) {
  for (const IdxFile& file : kFiles) {
    if (file.name != except) write_file(folder / file.name, file.sound());
  }
}

void try_form(const IdxFile& file, const std::string& name, const Form& form, HostileForms& hostile) {
  const TemporaryFolder folder;
  write_sound_files(folder, file.name);
  write_file(folder / name, form.bytes);
  hostile.refused(name + ": " + form.what, {name}, [&] { make_image_mnist({.data_dir = folder.path()}); });
}

}  // namespace

TEST_CASE("hostile idx files: headers and sizes that are not what they should be are refused by name") {
  HostileForms hostile;
  for (const IdxFile& file : kFiles) {
    for (const Form& form : contents(file)) {
      try_form(file, file.name, form, hostile);
      try_form(file, file.name + ".gz", {form.what, packed(form.bytes)}, hostile);
    }
  }
  CHECK(hostile.count() >= 250);
}

TEST_CASE("hostile idx files: packed data that are damaged, or bombs, are refused by name") {
  HostileForms hostile;
  for (const IdxFile& file : kFiles) {
    for (const Form& form : packings(file)) try_form(file, file.name + ".gz", form, hostile);
  }
  CHECK(hostile.count() >= 100);
}

TEST_CASE("hostile idx files: labels that are no classes") {
  constexpr std::uint8_t kNoClasses[] = {10, 11, 127, 128, 255};
  HostileForms hostile;
  for (const IdxFile& file : {kFiles[1], kFiles[3]}) {
    for (const std::uint8_t label : kNoClasses) {
      Bytes values(file.values());
      values.back() = label;
      try_form(file, file.name, {"label " + std::to_string(label), idx_bytes(file.extents, values)}, hostile);
    }
  }
  CHECK(hostile.count() == 10);
}

TEST_CASE("hostile idx files: what is no file is refused in the place of each") {
  namespace fs = std::filesystem;
  HostileForms hostile;
  const std::pair<const char*, void (*)(const std::string&)> kKinds[] = {
      {"nothing", [](const std::string&) {}},
      {"a folder", [](const std::string& path) { fs::create_directory(path); }},
      {"a pipe", [](const std::string& path) { REQUIRE(::mkfifo(path.c_str(), 0600) == 0); }},
      {"a link to nothing", [](const std::string& path) { fs::create_symlink("/nothing/here", path); }},
      {"a link to itself", [](const std::string& path) { fs::create_symlink(path, path); }},
      {"a link to a device", [](const std::string& path) { fs::create_symlink("/dev/zero", path); }}};
  for (const IdxFile& file : kFiles) {
    for (const auto& [what, make] : kKinds) {
      const TemporaryFolder folder;
      write_sound_files(folder, file.name);
      make(folder / file.name);
      hostile.refused(what, {file.name}, [&] { make_image_mnist({.data_dir = folder.path()}); });
    }
  }
}

}  // namespace lockstep
