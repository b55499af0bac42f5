#include "hostile/hostile_forms.h"

#include <hdf5.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>

#include "base/input_file.h"
#include "checkpoint/format.h"
#include "checkpoint/seal.h"
#include "data/hdf5_handle.h"

namespace lockstep {
namespace {

void must(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error("hostile_forms: cannot " + what);
}

Hdf5Handle open_for_writing(const std::string& path) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.id()), H5Fclose);
  must(static_cast<bool>(file), "open " + path);
  return file;
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
  {
    const Hdf5Handle file = open_for_writing(path);
    form.change(file.id());
  }
  const std::string bytes = read_file(path);
  const auto seal = make_seal(std::as_bytes(std::span(bytes)));
  std::ofstream stream(path, std::ios::binary | std::ios::app);
  stream.write(reinterpret_cast<const char*>(seal.data()), static_cast<std::streamsize>(seal.size()));
  must(stream.good(), "seal " + path);
}

}  // namespace lockstep
