#include "checkpoint_rewrite.h"

#include <hdf5.h>

#include <array>
#include <vector>

#include "data/arrays/hdf5_handle.h"

namespace lockstep {
namespace {

constexpr int kMaxChanges = 6;
constexpr hssize_t kMaxElements = 256;  // per written object

// One attribute, or one link (name empty).
struct Attribute {
  std::string object;
  std::string name;
};

// Objects that can be changed, in HDF5's own order of names, so that an input always has the same meaning.
struct Contents {
  std::vector<std::string> links;  // "dense_0/kernel"
  std::vector<Attribute> attributes;
};

herr_t note_attribute(hid_t /*object*/, const char* name, const H5A_info_t* /*info*/, void* attribute_names) {
  static_cast<std::vector<std::string>*>(attribute_names)->emplace_back(name);
  return 0;
}

herr_t note_link(hid_t /*root*/, const char* name, const H5L_info_t* /*info*/, void* links) {
  static_cast<std::vector<std::string>*>(links)->emplace_back(name);
  return 0;
}

Contents contents_of(hid_t file) {
  Contents contents;
  H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, note_link, &contents.links);
  std::vector<std::string> objects = contents.links;
  objects.emplace_back("/");
  for (const std::string& object : objects) {
    std::vector<std::string> names;
    H5Aiterate_by_name(file, object.c_str(), H5_INDEX_NAME, H5_ITER_INC, nullptr, note_attribute, &names, H5P_DEFAULT);
    for (const std::string& name : names) contents.attributes.push_back({object, name});
  }
  return contents;
}

// Returns a type for file and memory alike; any bytes of the input are valid values.
Hdf5Handle type_from(Input& input) {
  const std::array<hid_t, 13> numbers = {H5T_STD_I8LE,  H5T_STD_U8LE,  H5T_STD_I32LE,  H5T_STD_I64LE,  H5T_STD_U64LE,
                                         H5T_STD_I64BE, H5T_STD_U64BE, H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE,
                                         H5T_STD_B64LE, H5T_STD_I16BE, H5T_UNIX_D64LE};
  const std::uint8_t choice = input.byte();
  if (choice < 128) return {H5Tcopy(numbers[choice % numbers.size()]), H5Tclose};
  if (choice < 160) return {H5Tcreate(H5T_OPAQUE, 1U + choice % 32U), H5Tclose};
  if (choice < 192) {  // a record of one number
    const hid_t type = H5Tcreate(H5T_COMPOUND, 8);
    H5Tinsert(type, "value", 0, H5T_STD_I64LE);
    return {type, H5Tclose};
  }
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, choice == 255 ? 4000 : 1U + choice % 64U);
  H5Tset_cset(text, choice % 2 != 0 ? H5T_CSET_UTF8 : H5T_CSET_ASCII);
  H5Tset_strpad(text, choice % 3 == 0 ? H5T_STR_SPACEPAD : choice % 3 == 1 ? H5T_STR_NULLPAD : H5T_STR_NULLTERM);
  return {text, H5Tclose};
}

// Longest possible axis. HDF5 allocates all of an attribute at once.
enum class Longest { a_few, beyond_memory };

// Returns no space, one value, or up to 7 axes.
Hdf5Handle space_from(Input& input, Longest longest) {
  const std::uint8_t choice = input.byte();
  const int axes = choice % 8;
  if (choice == 255) return {H5Screate(H5S_NULL), H5Sclose};
  if (axes == 0) return {H5Screate(H5S_SCALAR), H5Sclose};
  std::array<hsize_t, 8> extents{};
  std::array<hsize_t, 8> most{};
  for (int axis = 0; axis < axes; ++axis) {
    const std::uint8_t extent = input.byte();
    if (longest == Longest::a_few) {
      extents.at(axis) = extent % 4;
    } else {
      extents.at(axis) = extent < 250 ? extent % 32 : hsize_t{1} << (extent - 220);
    }
    most.at(axis) = choice >= 128 ? H5S_UNLIMITED : extents.at(axis);
  }
  return {H5Screate_simple(axes, extents.data(), most.data()), H5Sclose};
}

// Returns as many bytes as the elements take, from the input, then zeros; none if there are too many elements.
std::vector<std::uint8_t> values_from(Input& input, const Hdf5Handle& type, const Hdf5Handle& space) {
  const hssize_t elements = H5Sget_simple_extent_npoints(space.id());
  if (elements <= 0 || elements > kMaxElements) return {};
  const auto given = input.take(input.byte());
  std::vector<std::uint8_t> values(given.begin(), given.end());
  values.resize(static_cast<std::size_t>(elements) * H5Tget_size(type.id()));
  return values;
}

// Returns the storage: chunked, with or without checksum or gzip, contiguous, or in the object's own header.
Hdf5Handle creation_from(Input& input, const Hdf5Handle& space) {
  Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const std::uint8_t choice = input.byte();
  if (choice % 4 == 1) H5Pset_layout(creation.id(), H5D_COMPACT);
  if (choice % 4 >= 2) {
    const int axes = H5Sget_simple_extent_ndims(space.id());
    const std::vector<hsize_t> chunk(axes > 0 ? static_cast<std::size_t>(axes) : 1, 1 + choice % 5U);
    H5Pset_chunk(creation.id(), static_cast<int>(chunk.size()), chunk.data());
    if (choice % 8 >= 4) H5Pset_fletcher32(creation.id());
    if (choice % 16 >= 8) H5Pset_deflate(creation.id(), 1);
    if (choice >= 240) H5Pset_filter(creation.id(), 511, H5Z_FLAG_OPTIONAL, 0, nullptr);  // one that does not exist
  }
  H5Pset_obj_track_times(creation.id(), false);
  return creation;
}

// Writes the first chunk's stored bytes, whatever its filters will make of them.
void put_stored_chunk(hid_t data, Input& input) {
  const std::uint32_t filter_mask = input.byte() % 4;
  const auto stored = input.take(input.byte());
  const std::array<hsize_t, 8> first{};
  if (!stored.empty()) H5Dwrite_chunk(data, H5P_DEFAULT, filter_mask, first.data(), stored.size(), stored.data());
}

void put_data_set(hid_t file, const std::string& name, Input& input) {
  const Hdf5Handle type = type_from(input);
  const Hdf5Handle space = space_from(input, Longest::beyond_memory);
  const Hdf5Handle creation = creation_from(input, space);
  const Hdf5Handle data(H5Dcreate2(file, name.c_str(), type.id(), space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                        H5Dclose);
  if (!data) return;
  // The library crashes if it has to store a chunk of a data set without elements.
  const hssize_t elements = H5Sget_simple_extent_npoints(space.id());
  const bool chunked = H5Pget_layout(creation.id()) == H5D_CHUNKED && elements > 0 && elements <= kMaxElements;
  if (chunked && input.byte() % 2 != 0) return put_stored_chunk(data.id(), input);
  const auto values = values_from(input, type, space);
  if (!values.empty()) H5Dwrite(data.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
}

void put_attribute(hid_t file, const Attribute& attribute, Input& input) {
  const Hdf5Handle type = type_from(input);
  const Hdf5Handle space = space_from(input, Longest::a_few);
  const Hdf5Handle made(H5Acreate_by_name(file, attribute.object.c_str(), attribute.name.c_str(), type.id(), space.id(),
                                          H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                        H5Aclose);
  if (!made) return;
  const auto values = values_from(input, type, space);
  if (!values.empty()) H5Awrite(made.id(), type.id(), values.data());
}

// Writes a text of variable length.
void put_text(hid_t file, const Attribute& attribute, Input& input) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), H5T_VARIABLE);
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle made(H5Acreate_by_name(file, attribute.object.c_str(), attribute.name.c_str(), type.id(), space.id(),
                                          H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                        H5Aclose);
  const std::string text = input.text(input.byte());
  const char* const begin = text.c_str();
  if (made && !text.empty()) H5Awrite(made.id(), type.id(), static_cast<const void*>(&begin));
}

// Writes another value of the same type and shape.
void change_attribute(hid_t file, const Attribute& attribute, Input& input) {
  const Hdf5Handle there(
      H5Aopen_by_name(file, attribute.object.c_str(), attribute.name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!there) return;
  const Hdf5Handle type(H5Aget_type(there.id()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(there.id()), H5Sclose);
  if (H5Tis_variable_str(type.id()) != 0) return;
  const auto values = values_from(input, type, space);
  if (!values.empty()) H5Awrite(there.id(), type.id(), values.data());
}

// Links a name to another object, to itself, or to an object in another file, which does not exist.
void put_link(hid_t file, const std::string& link, const std::string& other, std::uint8_t kind) {
  const std::string target = "/" + other;
  if (kind < 96) {
    H5Lcreate_soft(target.c_str(), file, link.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  } else if (kind < 112) {
    H5Lcreate_hard(file, target.c_str(), file, link.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  } else {
    H5Lcreate_external("/dev/null", target.c_str(), file, link.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  }
}

void change_one(hid_t file, const Contents& contents, Input& input) {
  const std::uint8_t what = input.byte();
  const std::uint8_t which = input.byte();
  if (what < 128 && !contents.links.empty()) {
    const std::string& link = contents.links[which % contents.links.size()];
    if (what % 4 == 3) {
      const std::string to = "/" + input.text(input.byte() % 16);
      H5Lmove(file, link.c_str(), file, to.c_str(), H5P_DEFAULT, H5P_DEFAULT);
      return;
    }
    H5Ldelete(file, link.c_str(), H5P_DEFAULT);
    if (what % 4 == 1) put_data_set(file, link, input);
    if (what % 4 != 2) return;
    if (what < 64) {
      H5Gclose(H5Gcreate2(file, link.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    } else {
      put_link(file, link, contents.links[input.byte() % contents.links.size()], what);
    }
  } else if (!contents.attributes.empty()) {
    const Attribute& attribute = contents.attributes[which % contents.attributes.size()];
    if (what % 4 == 0) return change_attribute(file, attribute, input);
    H5Adelete_by_name(file, attribute.object.c_str(), attribute.name.c_str(), H5P_DEFAULT);
    if (what % 4 == 1) put_attribute(file, attribute, input);
    if (what % 4 == 2) put_text(file, attribute, input);
  }
}

}  // namespace

void rewrite_hdf5(const std::string& path, Input& input) {
  const QuietHdf5 quiet;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.id()), H5Fclose);
  must(static_cast<bool>(file));
  const Contents contents = contents_of(file.id());
  for (int i = 0; i < kMaxChanges && !input.empty(); ++i) change_one(file.id(), contents, input);
}

}  // namespace lockstep
