#include <doctest/doctest.h>
#include <hdf5.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "data/arrays/hdf5_handle.h"
#include "data/problems.h"
#include "hdf5_files.h"
#include "hostile_files.h"
#include "support/temporary_folder.h"

// HDF5 files of problem arrays, with malformed inputs or targets in one split.
namespace lockstep {
namespace {

namespace fs = std::filesystem;
using Extents = std::vector<std::uint64_t>;

// One of the two data sets: eight rows in two chunks of four-byte zeros, which are valid inputs and targets.
struct Member {
  std::string name;
  Extents shape;
  Extents chunk;
  hid_t type;
  std::size_t chunk_bytes;

  std::string other() const { return name == "inputs" ? "targets" : "inputs"; }
  Extents chunk_at(std::uint64_t row) const {
    Extents offset(shape.size(), 0);
    offset[0] = row;
    return offset;
  }
};

std::vector<Member> members() {
  return {{.name = "inputs", .shape = {8, 6}, .chunk = {4, 6}, .type = H5T_NATIVE_FLOAT, .chunk_bytes = 96},
          {.name = "targets", .shape = {8}, .chunk = {4}, .type = H5T_NATIVE_INT32, .chunk_bytes = 16}};
}

void write_sound(Hdf5Writer& file, const Member& member, const std::string& name, const Hdf5Layout& layout = {}) {
  file.write(name, member.shape, member.type, Bytes(2 * member.chunk_bytes).data(), layout);
}

void write_sound_split(const TemporaryFolder& folder, const std::string& split) {
  Hdf5Writer file(folder / (split + ".h5"));
  for (const Member& member : members()) write_sound(file, member, member.name);
}

// One way to write a malformed data set; folder is the file's folder.
struct Form {
  std::string what;
  std::function<void(Hdf5Writer& file, const Member& member, const TemporaryFolder& folder)> write;
};

// Tries every form for either data set, in the file of each split.
void try_forms(const std::vector<Form>& forms, HostileForms& hostile) {
  for (const std::string split : {"train", "dev", "test"}) {
    for (const Member& damaged : members()) {
      for (const Form& form : forms) {
        const TemporaryFolder folder;
        if (split != "train") write_sound_split(folder, "train");
        {
          Hdf5Writer file(folder / (split + ".h5"));
          for (const Member& member : members()) {
            if (member.name != damaged.name) write_sound(file, member, member.name);
          }
          form.write(file, damaged, folder);
        }
        hostile.refused(split + ", " + damaged.name + ": " + form.what, {split + ".h5", damaged.name},
                        [&] { make_arrays({.data_dir = folder.path()}); });
      }
    }
  }
}

hid_t never_followed(const char*, hid_t, const void*, std::size_t, hid_t, hid_t) { return -1; }

void write_user_defined_link(const Hdf5Writer& file, const std::string& name) {
  constexpr auto kLink = static_cast<H5L_type_t>(H5L_TYPE_UD_MIN + 40);
  const H5L_class_t link = {H5L_LINK_CLASS_T_VERS, kLink,   "of a test", nullptr, nullptr, nullptr,
                            never_followed,        nullptr, nullptr};
  REQUIRE(H5Lregister(&link) >= 0);
  REQUIRE(H5Lcreate_ud(file.id(), name.c_str(), kLink, "x", 1, H5P_DEFAULT, H5P_DEFAULT) >= 0);
  REQUIRE(H5Lunregister(kLink) >= 0);
}

void write_soft_link(const Hdf5Writer& file, const std::string& name, const std::string& target) {
  REQUIRE(H5Lcreate_soft(target.c_str(), file.id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

void write_external_link(const Hdf5Writer& file, const std::string& name, const std::string& path,
                         const std::string& target) {
  REQUIRE(H5Lcreate_external(path.c_str(), target.c_str(), file.id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

// Creates a data set with chosen creation properties.
void create(const Hdf5Writer& file, const Member& member, const std::function<void(hid_t creation)>& choose,
            bool written = true) {
  const std::vector<hsize_t> extents(member.shape.begin(), member.shape.end());
  const std::vector<hsize_t> chunk(member.chunk.begin(), member.chunk.end());
  const std::vector<hsize_t> unlimited(extents.size(), H5S_UNLIMITED);
  const auto axes = static_cast<int>(extents.size());
  const Hdf5Handle space(H5Screate_simple(axes, extents.data(), written ? nullptr : unlimited.data()), H5Sclose);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(creation.id(), axes, chunk.data());
  choose(creation.id());
  const Hdf5Handle data_set(
      H5Dcreate2(file.id(), member.name.c_str(), member.type, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
      H5Dclose);
  REQUIRE(data_set.id() >= 0);
  const Bytes values(2 * member.chunk_bytes);
  if (written) REQUIRE(H5Dwrite(data_set.id(), member.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
}

// Creates a data set whose values are in other files.
void create_virtual(const Hdf5Writer& file, const Member& member, const std::string& path) {
  const std::vector<hsize_t> extents(member.shape.begin(), member.shape.end());
  const Hdf5Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  REQUIRE(H5Pset_virtual(creation.id(), space.id(), path.c_str(), member.name.c_str(), space.id()) >= 0);
  const Hdf5Handle data_set(
      H5Dcreate2(file.id(), member.name.c_str(), member.type, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
      H5Dclose);
  REQUIRE(data_set.id() >= 0);
}

void create_external(const Hdf5Writer& file, const Member& member, const std::string& path) {
  const std::vector<hsize_t> extents(member.shape.begin(), member.shape.end());
  const Hdf5Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  REQUIRE(H5Pset_external(creation.id(), path.c_str(), 0, 2 * member.chunk_bytes) >= 0);
  const Hdf5Handle data_set(
      H5Dcreate2(file.id(), member.name.c_str(), member.type, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
      H5Dclose);
  REQUIRE(data_set.id() >= 0);
}

std::vector<Form> links_and_objects() {
  return {
      {"a soft link",
       [](Hdf5Writer& file, const Member& member, const TemporaryFolder&) {
         write_sound(file, member, "real");
         write_soft_link(file, member.name, "/real");
       }},
      {"a soft link to nothing", [](Hdf5Writer& file, const Member& member,
                                    const TemporaryFolder&) { write_soft_link(file, member.name, "/nothing"); }},
      {"a soft link to itself", [](Hdf5Writer& file, const Member& member,
                                   const TemporaryFolder&) { write_soft_link(file, member.name, "/" + member.name); }},
      {"an external link",
       [](Hdf5Writer& file, const Member& member, const TemporaryFolder& folder) {
         write_sound_split(folder, "other");
         write_external_link(file, member.name, "other.h5", "/" + member.name);
       }},
      {"an external link to nothing",
       [](Hdf5Writer& file, const Member& member, const TemporaryFolder&) {
         write_external_link(file, member.name, "nothing.h5", "/" + member.name);
       }},
      {"an external link to a pipe that nobody writes",
       [](Hdf5Writer& file, const Member& member, const TemporaryFolder& folder) {
         REQUIRE(::mkfifo((folder / "pipe.h5").c_str(), 0600) == 0);
         write_external_link(file, member.name, folder / "pipe.h5", "/" + member.name);
       }},
      {"a user-defined link", [](Hdf5Writer& file, const Member& member,
                                 const TemporaryFolder&) { write_user_defined_link(file, member.name); }},
      {"nothing", [](Hdf5Writer&, const Member&, const TemporaryFolder&) {}},
      {"nothing, beside an external link to a pipe",
       [](Hdf5Writer& file, const Member& member, const TemporaryFolder& folder) {
         REQUIRE(::mkfifo((folder / "pipe.h5").c_str(), 0600) == 0);
         write_external_link(file, "my_" + member.name, folder / "pipe.h5", "/" + member.name);
       }},
      {"a group", [](Hdf5Writer& file, const Member& member, const TemporaryFolder&) { file.group(member.name); }},
      {"a group that holds itself",
       [](Hdf5Writer& file, const Member& member, const TemporaryFolder&) {
         file.group(member.name);
         H5Lcreate_hard(file.id(), member.name.c_str(), file.id(), (member.name + "/loop").c_str(), H5P_DEFAULT,
                        H5P_DEFAULT);
       }},
      {"a type", [](Hdf5Writer& file, const Member& member, const TemporaryFolder&) {
         const Hdf5Handle type(H5Tcopy(member.type), H5Tclose);
         H5Tcommit2(file.id(), member.name.c_str(), type.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
       }}};
}

// Data sets of unsuitable types, without values.
std::vector<Form> types() {
  const std::pair<const char*, hid_t (*)()> kTypes[] = {
      {"text",
       [] {
         const hid_t type = H5Tcopy(H5T_C_S1);
         H5Tset_size(type, 5);
         return type;
       }},
      {"text of any length",
       [] {
         const hid_t type = H5Tcopy(H5T_C_S1);
         H5Tset_size(type, H5T_VARIABLE);
         return type;
       }},
      {"a record",
       [] {
         const hid_t type = H5Tcreate(H5T_COMPOUND, 8);
         H5Tinsert(type, "r", 0, H5T_NATIVE_FLOAT);
         H5Tinsert(type, "i", 4, H5T_NATIVE_FLOAT);
         return type;
       }},
      {"opaque bytes", [] { return H5Tcreate(H5T_OPAQUE, 4); }},
      {"an enumeration",
       [] {
         const hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
         const std::int8_t value = 0;
         H5Tenum_insert(type, "ZERO", &value);
         return type;
       }},
      {"rows of any length", [] { return H5Tvlen_create(H5T_NATIVE_FLOAT); }},
      {"arrays",
       [] {
         const hsize_t extent = 3;
         return H5Tarray_create2(H5T_NATIVE_FLOAT, 1, &extent);
       }},
      {"references", [] { return H5Tcopy(H5T_STD_REF_OBJ); }},
      {"bits", [] { return H5Tcopy(H5T_STD_B32LE); }},
      {"long doubles", [] { return H5Tcopy(H5T_NATIVE_LDOUBLE); }},
      {"integers of 12 bits",
       [] {
         const hid_t type = H5Tcopy(H5T_STD_I16LE);
         H5Tset_precision(type, 12);
         return type;
       }},
      {"floats of another layout",
       [] {
         const hid_t type = H5Tcopy(H5T_IEEE_F32LE);
         H5Tset_ebias(type, 100);
         return type;
       }},
      {"floats whose mantissa has no hidden bit",
       [] {
         const hid_t type = H5Tcopy(H5T_IEEE_F32LE);
         H5Tset_norm(type, H5T_NORM_NONE);
         return type;
       }},
      {"floats in the byte order of a VAX", [] {
         const hid_t type = H5Tcopy(H5T_IEEE_F32LE);
         H5Tset_order(type, H5T_ORDER_VAX);
         return type;
       }}};
  std::vector<Form> forms;
  for (const auto& [what, make] : kTypes) {
    forms.push_back({std::string("elements are ") + what,
                     [make = make](Hdf5Writer& file, const Member& member, const TemporaryFolder&) {
                       const Hdf5Handle type(make(), H5Tclose);
                       file.write(member.name, member.shape, type.id(), nullptr);
                     }});
  }
  forms.push_back({"a named type", [](Hdf5Writer& file, const Member& member, const TemporaryFolder&) {
                     const Hdf5Handle type(H5Tcopy(member.type), H5Tclose);
                     H5Tcommit2(file.id(), "type", type.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
                     file.write(member.name, member.shape, type.id(), Bytes(2 * member.chunk_bytes).data());
                   }});
  return forms;
}

std::vector<Form> shapes() {
  const Extents kShapes[] = {{},
                             {0},
                             {0, 6},
                             {8, 0},
                             {1, 1, 1, 1, 1, 1},
                             {7},
                             {9, 6},
                             {std::uint64_t{1} << 41},
                             {std::uint64_t{1} << 40, std::uint64_t{1} << 18}};
  std::vector<Form> forms;
  for (const Extents& shape : kShapes) {
    std::uint64_t elements = 1;
    for (const std::uint64_t extent : shape) elements *= extent;
    // Large shapes are not written; those would be refused at the latest because no values are stored.
    const bool written = elements > 0 && elements < 1000;
    forms.push_back({"a shape of another kind", [=](Hdf5Writer& file, const Member& member, const TemporaryFolder&) {
                       const Bytes values(4 * 1000);
                       file.write(member.name, shape, member.type, written ? values.data() : nullptr);
                     }});
  }
  forms.push_back({"an empty space", [](Hdf5Writer& file, const Member& member, const TemporaryFolder&) {
                     const Hdf5Handle space(H5Screate(H5S_NULL), H5Sclose);
                     const Hdf5Handle data_set(H5Dcreate2(file.id(), member.name.c_str(), member.type, space.id(),
                                                          H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                                               H5Dclose);
                   }});
  return forms;
}

std::vector<Form> layouts() {
  return {{"values in another HDF5 file",
           [](Hdf5Writer& file, const Member& member, const TemporaryFolder& folder) {
             write_sound_split(folder, "other");
             create_virtual(file, member, "other.h5");
           }},
          {"values in an HDF5 file that is a pipe",
           [](Hdf5Writer& file, const Member& member, const TemporaryFolder& folder) {
             REQUIRE(::mkfifo((folder / "pipe.h5").c_str(), 0600) == 0);
             create_virtual(file, member, folder / "pipe.h5");
           }},
          {"values in a file of bytes", [](Hdf5Writer& file, const Member& member,
                                           const TemporaryFolder&) { create_external(file, member, "/etc/passwd"); }},
          {"values that are all of memory", [](Hdf5Writer& file, const Member& member,
                                               const TemporaryFolder&) { create_external(file, member, "/dev/zero"); }},
          {"never written, in one piece",
           [](Hdf5Writer& file, const Member& member, const TemporaryFolder&) {
             file.write(member.name, member.shape, member.type, nullptr);
           }},
          {"never written, in chunks",
           [](Hdf5Writer& file, const Member& member, const TemporaryFolder&) {
             file.write(member.name, member.shape, member.type, nullptr, {.chunk = member.chunk});
           }},
          {"half of it written",
           [](Hdf5Writer& file, const Member& member, const TemporaryFolder&) {
             file.write(member.name, member.shape, member.type, nullptr, {.chunk = member.chunk, .gzip = true});
             file.stored_chunk(member.name, member.chunk_at(4), zlib_packed(Bytes(member.chunk_bytes)));
           }},
          {"a filter that nobody has",
           [](Hdf5Writer& file, const Member& member, const TemporaryFolder&) {
             write_sound(file, member, member.name, {.chunk = member.chunk, .unknown_filter = true});
           }},
          {"packed by nbit",
           [](Hdf5Writer& file, const Member& member, const TemporaryFolder&) {
             create(file, member, [](hid_t creation) { H5Pset_nbit(creation); });
           }},
          {"packed by scaleoffset",
           [](Hdf5Writer& file, const Member& member, const TemporaryFolder&) {
             const bool integers = member.name == "targets";
             create(file, member, [=](hid_t creation) {
               H5Pset_scaleoffset(creation, integers ? H5Z_SO_INT : H5Z_SO_FLOAT_DSCALE, integers ? 0 : 2);
             });
           }},
          {"packed by gzip twice",
           [](Hdf5Writer& file, const Member& member, const TemporaryFolder&) {
             create(file, member, [](hid_t creation) {
               H5Pset_deflate(creation, 1);
               H5Pset_deflate(creation, 1);
             });
           }},
          {"a plain chunk a byte too short, and one a byte too long",
           [](Hdf5Writer& file, const Member& member, const TemporaryFolder&) {
             file.write(member.name, member.shape, member.type, nullptr, {.chunk = member.chunk});
             file.stored_chunk(member.name, member.chunk_at(0), Bytes(member.chunk_bytes - 1));
             file.stored_chunk(member.name, member.chunk_at(4), Bytes(member.chunk_bytes + 1));
           }},
          {"chunks far beyond the shape",
           [](Hdf5Writer& file, const Member& member, const TemporaryFolder&) {
             Member wide = member;
             wide.chunk.back() = 4 << 20;  // 4 Mi columns per row, or 40 Mi rows if there is one axis
             wide.chunk.front() = member.shape.size() == 1 ? 40 << 20 : 1;
             create(
                 file, wide, [](hid_t creation) { H5Pset_deflate(creation, 1); }, false);
           }},
          {"a chunk of 1 GiB", [](Hdf5Writer& file, const Member& member, const TemporaryFolder&) {
             Member large = member;
             large.chunk[0] = (std::uint64_t{1} << 30) / (member.chunk_bytes / 4);
             create(
                 file, large, [](hid_t creation) { H5Pset_deflate(creation, 1); }, false);
           }}};
}

// Incompressible bytes.
Bytes noise(std::size_t bytes) {
  Bytes result(bytes);
  std::uint32_t state = 1;
  for (auto& byte : result) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<Bytes::value_type>(state >> 24);
  }
  return result;
}

// Content in place of the second chunk's `bytes` bytes, packed by zlib.
struct Damage {
  const char* what;
  Bytes (*stored)(std::size_t bytes);
};

constexpr Damage kDamages[] = {
    {"a byte too few", [](std::size_t bytes) { return zlib_packed(Bytes(bytes - 1)); }},
    {"ten bytes", [](std::size_t) { return zlib_packed(Bytes(10, 'a')); }},
    {"no bytes", [](std::size_t) { return zlib_packed({}); }},
    {"a byte too many", [](std::size_t bytes) { return zlib_packed(Bytes(bytes + 1)); }},
    {"twice the bytes", [](std::size_t bytes) { return zlib_packed(Bytes(2 * bytes)); }},
    {"a megabyte", [](std::size_t) { return zlib_packed(Bytes(1'000'000)); }},
    {"cut off at one byte", [](std::size_t bytes) { return cut(zlib_packed(Bytes(bytes)), 1); }},
    {"cut off half way", [](std::size_t bytes) { return cut(zlib_packed(Bytes(bytes)), 6); }},
    {"cut off in its checksum",
     [](std::size_t bytes) {
       const Bytes whole = zlib_packed(Bytes(bytes));
       return cut(whole, whole.size() - 3);
     }},
    {"a flipped first byte", [](std::size_t bytes) { return flipped(zlib_packed(Bytes(bytes)), 0); }},
    {"a flipped last byte",
     [](std::size_t bytes) {
       const Bytes whole = zlib_packed(Bytes(bytes));
       return flipped(whole, whole.size() - 1);
     }},
    {"packed as a .gz file is", [](std::size_t bytes) { return packed(Bytes(bytes)); }},
    {"not packed", [](std::size_t bytes) { return Bytes(bytes); }},
    {"noise", [](std::size_t bytes) { return Bytes(bytes, 0xA5); }},
    {"one byte", [](std::size_t) { return Bytes(1); }},
};

Form chunk_form(const std::string& what, const Hdf5Layout& filters, const std::function<Bytes(std::size_t)>& stored,
                std::uint32_t skipped = 0) {
  return {what, [=](Hdf5Writer& file, const Member& member, const TemporaryFolder&) {
            Hdf5Layout layout = filters;
            layout.chunk = member.chunk;
            write_sound(file, member, member.name, layout);
            const Bytes checksum(layout.checksum ? 4 : 0);
            file.stored_chunk(member.name, member.chunk_at(4), joined(stored(member.chunk_bytes), checksum), skipped);
          }};
}

const Hdf5Layout kPacked[] = {{.gzip = true},
                              {.shuffle = true, .gzip = true},
                              {.gzip = true, .checksum = true},
                              {.shuffle = true, .gzip = true, .checksum = true}};

std::string name_of(const Hdf5Layout& filters) {
  return std::string(filters.shuffle ? "shuffle " : "") + (filters.gzip ? "gzip " : "") +
         (filters.checksum ? "checksum " : "");
}

std::vector<Form> packed_chunks() {
  std::vector<Form> forms;
  for (const Hdf5Layout& filters : kPacked) {
    for (const Damage& damage : kDamages)
      forms.push_back(chunk_form(name_of(filters) + damage.what, filters, damage.stored));
    const std::uint32_t without_gzip = filters.shuffle ? 2 : 1;
    forms.push_back(chunk_form(
        name_of(filters) + "packed, and said not to be", filters,
        // Its size differs from the plain chunk's: HDF5 does not record skipped filters for a chunk of unchanged size.
        [](std::size_t bytes) { return zlib_packed(noise(bytes)); }, without_gzip));
    forms.push_back(chunk_form(
        name_of(filters) + "not packed, and a byte too few", filters,
        [](std::size_t bytes) { return Bytes(bytes - 1); }, without_gzip));
  }
  return forms;
}

std::vector<Form> plain_chunks() {
  std::vector<Form> forms;
  const Hdf5Layout kFilters[] = {{.shuffle = true}, {.checksum = true}, {.shuffle = true, .checksum = true}};
  for (const Hdf5Layout& filters : kFilters) {
    for (const int more : {-15, -1, 1, 16, 10'000}) {
      forms.push_back(chunk_form(
          name_of(filters) + "bytes added: " + std::to_string(more), filters,
          [=](std::size_t bytes) { return Bytes(static_cast<std::size_t>(static_cast<std::int64_t>(bytes) + more)); }));
    }
  }
  return forms;
}

Bytes bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("hostile HDF5 files: links, objects, types, shapes and layouts are refused by name") {
  HostileForms hostile;
  for (const auto& forms : {links_and_objects(), types(), shapes(), layouts()}) try_forms(forms, hostile);
  CHECK(hostile.count() >= 250);
}

TEST_CASE("hostile HDF5 files: chunks that are not what they should be are refused by name") {
  HostileForms hostile;
  for (const auto& forms : {packed_chunks(), plain_chunks()}) try_forms(forms, hostile);
  CHECK(hostile.count() >= 400);
}

TEST_CASE("hostile HDF5 files: a chunk that unpacks to a thousand times its size, and a larger one, are not unpacked") {
  const Member inputs = members()[0];
  HostileForms hostile;
  for (const Bytes& bomb : {cut(zlib_packed(Bytes(100'000)), 97), zlib_packed(Bytes(50'000'000))}) {
    const TemporaryFolder folder;
    {
      Hdf5Writer file(folder / "train.h5");
      write_sound(file, members()[1], "targets");
      write_sound(file, inputs, "inputs", {.chunk = inputs.chunk, .gzip = true});
      file.stored_chunk("inputs", {0, 0}, bomb);
    }
    hostile.refused("a bomb", {"train.h5", "inputs", "rows 0 to 3", "96"},
                    [&] { make_arrays({.data_dir = folder.path()}); });
  }
}

TEST_CASE("hostile HDF5 files: the number of classes is no such number") {
  HostileForms hostile;
  for (const std::int64_t classes : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1} << 40}) {
    const TemporaryFolder folder;
    {
      Hdf5Writer file(folder / "train.h5");
      for (const Member& member : members()) write_sound(file, member, member.name);
      file.attribute("targets", "num_classes", classes);
    }
    hostile.refused("num_classes " + std::to_string(classes), {"train.h5", "num_classes"},
                    [&] { make_arrays({.data_dir = folder.path()}); });
  }
}

TEST_CASE("hostile HDF5 files: cut off anywhere, or another file under this name") {
  HostileForms hostile;
  const TemporaryFolder sound;
  write_sound_split(sound, "train");
  const Bytes bytes = bytes_of_file(sound / "train.h5");
  std::vector<std::pair<std::string, Bytes>> contents;
  for (std::size_t size = 0; size < bytes.size(); size += bytes.size() / 40 + 1) {
    contents.emplace_back("cut at " + std::to_string(size), cut(bytes, size));
  }
  contents.emplace_back("without its last byte", cut(bytes, bytes.size() - 1));
  for (std::size_t at = 0; at < 8; ++at) contents.emplace_back("signature " + std::to_string(at), flipped(bytes, at));
  contents.emplace_back("zeros", Bytes(4096));
  contents.emplace_back("text", Bytes(4096, 'x'));
  contents.emplace_back("packed", packed(bytes));
  for (const std::string split : {"train", "dev", "test"}) {
    for (const auto& [what, content] : contents) {
      const TemporaryFolder folder;
      if (split != "train") write_sound_split(folder, "train");
      write_file(folder / (split + ".h5"), content);
      hostile.refused(what, {split + ".h5"}, [&] { make_arrays({.data_dir = folder.path()}); });
    }
  }
  CHECK(hostile.count() >= 100);
}

TEST_CASE("hostile files: what is no file is refused in the place of every split and array") {
  HostileForms hostile;
  const std::pair<const char*, void (*)(const std::string&)> kKinds[] = {
      {"a folder", [](const std::string& path) { fs::create_directory(path); }},
      {"a pipe", [](const std::string& path) { REQUIRE(::mkfifo(path.c_str(), 0600) == 0); }},
      {"a link to nothing", [](const std::string& path) { fs::create_symlink("/nothing/here", path); }},
      {"a link to itself", [](const std::string& path) { fs::create_symlink(path, path); }},
      {"a link to a device", [](const std::string& path) { fs::create_symlink("/dev/zero", path); }}};
  for (const std::string split : {"train", "dev", "test"}) {
    for (const char* const name : {".h5", "_inputs.npy", "_targets.npy"}) {
      for (const auto& [what, make] : kKinds) {
        const TemporaryFolder folder;
        if (split != "train") write_sound_split(folder, "train");
        make(folder / (split + name));
        hostile.refused(what, {split + name}, [&] { make_arrays({.data_dir = folder.path()}); });
      }
    }
  }
  CHECK(hostile.count() == 45);
}

}  // namespace lockstep
