#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "data/problems.h"
#include "hostile_files.h"
#include "npy_files.h"
#include "support/temporary_folder.h"

// .npy files of problem arrays, with malformed inputs or targets in one split.
namespace lockstep {
namespace {

// One of the two arrays: four rows of four-byte zeros, which are valid inputs and targets.
struct Array {
  std::string name;
  std::string type;
  std::string shape;  // as Python prints it
  std::size_t bytes;
};

const Array kArrays[] = {{"inputs", "<f4", "(4, 6)", 96}, {"targets", "<i4", "(4,)", 16}};

std::string text(const std::string& type, const std::string& shape, const std::string& order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

Bytes sound(const Array& array) { return npy_bytes(text(array.type, array.shape), Bytes(array.bytes)); }

struct Form {
  std::string what;
  Bytes bytes;
};

// Malformed headers before valid elements.
std::vector<Form> headers(const Array& array) {
  std::vector<std::string> texts = {
      "",
      "{",
      "{}",
      "[]",
      "None",
      "__import__('os').system('true')",
      std::string(30'000, '{'),
      std::string(30'000, '('),
      "{'descr': '" + array.type + "', 'fortran_order': False, }",
      "{'descr': '" + array.type + "', 'shape': " + array.shape + ", }",
      "{'fortran_order': False, 'shape': " + array.shape + ", }",
      text(array.type, array.shape, "false"),
      text(array.type, array.shape, "0"),
      text(array.type, array.shape, "None"),
      text(array.type, array.shape) + " + 1",
      "{'descr': '" + array.type + "', 'descr': '" + array.type + "', 'fortran_order': False, 'shape': " + array.shape +
          ", }",
      "{'more': 1, 'descr': '" + array.type + "', 'fortran_order': False, 'shape': " + array.shape + ", }"};
  for (const char* const type : {"|O",   "<U1", "|S4",  "<c8", "|b1",    "|V4",      "<M8[ns]",      "<m8",
                                 "<f16", "<i3", "|f4",  "f4",  "",       "<",        "\\x3cf4",      "=f4",
                                 "<f4 ", "<F4", "<u16", "O",   "%n%n%s", "\x1b[31m", "<f4', 'x': '", "\xff\xfe"}) {
    texts.push_back(text(type, array.shape));
  }
  for (const char* const shape : {"()",
                                  "(0,)",
                                  "(4, 0)",
                                  "(4)",
                                  "(-4,)",
                                  "(4, -6)",
                                  "(4.0, 6)",
                                  "('4', 6)",
                                  "(4, 6",
                                  "4",
                                  "[4, 6]",
                                  "(4, 7)",
                                  "(5, 6)",
                                  "(3, 6)",
                                  "(2,)",
                                  "(99999999999999999999, 1)",
                                  "(18446744073709551615,)",
                                  "(18446744073709551615, 2)",
                                  "(4294967296, 4294967296, 2)",
                                  "(1099511627777,)",
                                  "(1, 1, 1, 1, 1, 1)",
                                  "(4,) * 2",
                                  "(4 6)",
                                  "(,)",
                                  "(4,,6)"}) {
    texts.push_back(text(array.type, shape));
  }
  std::vector<Form> forms;
  for (const std::string& changed : texts) {
    forms.push_back({"header " + changed.substr(0, 80), npy_bytes(changed, Bytes(array.bytes))});
  }
  return forms;
}

std::vector<Form> files(const Array& array) {
  const Bytes whole = sound(array);
  std::vector<Form> forms = {
      {"a byte more", joined(whole, {0})}, {"twice", joined(whole, whole)}, {"elements alone", Bytes(array.bytes)},
      {"packed", packed(whole)},           {"text", Bytes(200, 'x')},       {"zeros", Bytes(200)}};
  constexpr std::size_t kFlipped[] = {0, 1, 2, 3, 4, 5, 6, 7, 9};
  for (const std::size_t at : kFlipped) {
    forms.push_back({"flipped at " + std::to_string(at), flipped(whole, at)});
  }
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 8) {
    forms.push_back({"cut at " + std::to_string(size), cut(whole, size)});
  }
  forms.push_back({"without its last byte", cut(whole, whole.size() - 1)});
  return forms;
}

void write_sound_split(const TemporaryFolder& folder, const std::string& split) {
  for (const Array& array : kArrays) write_file(folder / (split + "_" + array.name + ".npy"), sound(array));
}

void try_forms(const std::function<std::vector<Form>(const Array&)>& forms_of, HostileForms& hostile) {
  for (const std::string split : {"train", "dev", "test"}) {
    for (const Array& damaged : kArrays) {
      const TemporaryFolder folder;
      write_sound_split(folder, "train");
      write_sound_split(folder, split);
      const std::string name = split + "_" + damaged.name + ".npy";
      for (const Form& form : forms_of(damaged)) {
        write_file(folder / name, form.bytes);
        hostile.refused(name + ": " + form.what, {name}, [&] { make_arrays({.data_dir = folder.path()}); });
      }
    }
  }
}

}  // namespace

TEST_CASE("hostile .npy files: headers that are none are refused by name") {
  HostileForms hostile;
  try_forms(headers, hostile);
  CHECK(hostile.count() >= 300);
}

TEST_CASE("hostile .npy files: cut off, going on, or another file under this name") {
  HostileForms hostile;
  try_forms(files, hostile);
  CHECK(hostile.count() >= 200);
}

TEST_CASE("hostile .npy files: values that are none") {
  HostileForms hostile;
  for (const std::string split : {"train", "dev", "test"}) {
    const std::uint32_t kNotFinite[] = {0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F800001};
    constexpr std::size_t kPlaces[] = {0, 13, 23};
    for (const std::uint32_t bits : kNotFinite) {
      for (const std::size_t at : kPlaces) {
        const TemporaryFolder folder;
        write_sound_split(folder, "train");
        write_sound_split(folder, split);
        std::vector<std::uint32_t> values(24);
        values.at(at) = bits;
        const std::string name = split + "_inputs.npy";
        write_file(folder / name, npy_bytes(text("<f4", "(4, 6)"), bytes_of(values)));
        hostile.refused(name + " with " + std::to_string(bits), {name, "sample " + std::to_string(at / 6)},
                        [&] { make_arrays({.data_dir = folder.path()}); });
      }
    }
    for (const std::int32_t label : {-1, -2147483647, 2147483647, 2147483646, 1'000'001}) {
      const TemporaryFolder folder;
      write_sound_split(folder, "train");
      write_sound_split(folder, split);
      const std::string name = split + "_targets.npy";
      write_file(folder / name, npy<std::int32_t>({4}, {0, 0, label, 0}));
      hostile.refused(name + " with " + std::to_string(label), {name, "sample 2 ", std::to_string(label)},
                      [&] { make_arrays({.data_dir = folder.path()}); });
    }
  }
}

}  // namespace lockstep
