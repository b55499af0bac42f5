#include "hostile/hostile_forms.h"

#include <hdf5.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>

#include "base/input_file.h"
#include "checkpoint/format.h"
#include "checkpoint/seal.h"
#include "data/arrays/hdf5_handle.h"

namespace lockstep {
namespace {

void must(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error("hostile_forms: cannot " + what);
}

Hdf5Handle open_for_writing(const std::string& path, bool oldest_format) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (!oldest_format) H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.id()), H5Fclose);
  must(static_cast<bool>(file), "open " + path);
  return file;
}

void copy_attributes(hid_t from, hid_t to) {
  const auto copy = [](hid_t object, const char* name, const H5A_info_t*, void* into) -> herr_t {
    const Hdf5Handle old(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    const Hdf5Handle type(H5Aget_type(old.id()), H5Tclose);
    const Hdf5Handle space(H5Aget_space(old.id()), H5Sclose);
    const Hdf5Handle made(H5Acreate2(*static_cast<hid_t*>(into), name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
                          H5Aclose);
    std::vector<char> value(H5Tget_size(type.id()));
    H5Aread(old.id(), type.id(), value.data());
    const herr_t written = H5Awrite(made.id(), type.id(), value.data());
    H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, value.data());  // variable-length texts
    return written;
  };
  hsize_t position = 0;
  must(H5Aiterate2(from, H5_INDEX_NAME, H5_ITER_INC, &position, copy, &to) >= 0, "copy attributes");
}

void copy_data_set(hid_t from, hid_t to, const std::string& path) {
  const Hdf5Handle old(H5Dopen2(from, path.c_str(), H5P_DEFAULT), H5Dclose);
  const Hdf5Handle type(H5Dget_type(old.id()), H5Tclose);
  const Hdf5Handle space(H5Dget_space(old.id()), H5Sclose);
  const Hdf5Handle made(H5Dcreate2(to, path.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                        H5Dclose);
  std::vector<char> values(H5Tget_size(type.id()) * static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.id())));
  H5Dread(old.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  must(H5Dwrite(made.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0, "copy " + path);
}

std::vector<CheckpointObject> objects_of(const std::string& path) {
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  must(static_cast<bool>(file), "open " + path);
  std::vector<std::string> names;
  const auto take = [](hid_t, const char* name, const H5L_info_t*, void* into) -> herr_t {
    static_cast<std::vector<std::string>*>(into)->emplace_back(name);
    return 0;
  };
  H5Lvisit(file.id(), H5_INDEX_NAME, H5_ITER_INC, take, &names);
  std::vector<CheckpointObject> objects;
  for (const std::string& name : names) {
    const Hdf5Handle object(H5Oopen(file.id(), name.c_str(), H5P_DEFAULT), H5Oclose);
    objects.push_back({name, H5Iget_type(object.id()) == H5I_GROUP});
  }
  return objects;
}

// Rewrites a file as h5py does by default: in the format of HDF5 1.0 as far as that suffices.
void rewrite_in_oldest_format(const std::string& path) {
  const std::string made_path = path + ".oldest";
  {
    const Hdf5Handle old(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    const Hdf5Handle made(H5Fcreate(made_path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    copy_attributes(old.id(), made.id());
    for (const CheckpointObject& object : objects_of(path)) {
      if (!object.is_group) {
        copy_data_set(old.id(), made.id(), object.path);
      } else {
        H5Gclose(H5Gcreate2(made.id(), object.path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
      }
    }
  }
  std::filesystem::rename(made_path, path);
}

}  // namespace

std::vector<HostileForm> hostile_forms(const std::string& good, const HostileSurroundings& around) {
  std::vector<HostileForm> forms;
  for (const CheckpointObject& object : objects_of(good)) {
    add_link_forms(object, around, forms);
    if (object.is_group) continue;
    add_data_set_forms(object.path, forms);
    add_chunk_forms(object.path, forms);
  }
  add_attribute_forms(forms);
  return forms;
}

void make_hostile(const std::string& good, const HostileForm& form, const std::string& path) {
  const QuietHdf5 quiet;
  std::filesystem::copy_file(good, path, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - kSealBytes);
  if (form.oldest_format) rewrite_in_oldest_format(path);
  {
    const Hdf5Handle file = open_for_writing(path, form.oldest_format);
    form.change(file.id());
  }
  std::string bytes = read_file(path);
  if (form.edit) {
    form.edit(bytes);
    std::ofstream(path, std::ios::binary).write(bytes.data(), std::ssize(bytes));
  }
  const auto seal = make_seal(std::as_bytes(std::span(bytes)));
  std::ofstream stream(path, std::ios::binary | std::ios::app);
  stream.write(reinterpret_cast<const char*>(seal.data()), static_cast<std::streamsize>(seal.size()));
  must(stream.good(), "seal " + path);
}

}  // namespace lockstep
