#include <hdf5.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "data/arrays/hdf5_handle.h"
#include "hostile/hostile_forms.h"

namespace lockstep {
namespace {

using Extents = std::vector<hsize_t>;

Extents extents_of(hid_t file, const std::string& path) {
  const Hdf5Handle data_set(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  const Hdf5Handle space(H5Dget_space(data_set.id()), H5Sclose);
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int axes = H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr);
  return {extents.begin(), extents.begin() + axes};
}

// Replaces a data set by one without values.
void replace(hid_t file, const std::string& path, hid_t type, const Hdf5Handle& space, hid_t creation = H5P_DEFAULT) {
  H5Ldelete(file, path.c_str(), H5P_DEFAULT);
  H5Dclose(H5Dcreate2(file, path.c_str(), type, space.id(), H5P_DEFAULT, creation, H5P_DEFAULT));
}

Hdf5Handle simple(const Extents& extents) {
  return {H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose};
}

void change_first(hid_t file, const std::string& path, float value) {
  const Hdf5Handle data_set(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  const Hdf5Handle all(H5Dget_space(data_set.id()), H5Sclose);
  const Extents extents = extents_of(file, path);
  const Extents begin(extents.size(), 0);
  const Extents one(extents.size(), 1);
  H5Sselect_hyperslab(all.id(), H5S_SELECT_SET, begin.data(), nullptr, one.data(), nullptr);
  const Hdf5Handle memory(H5Screate(H5S_SCALAR), H5Sclose);
  H5Dwrite(data_set.id(), H5T_NATIVE_FLOAT, memory.id(), all.id(), H5P_DEFAULT, &value);
}

Hdf5Handle type_of(const std::string& kind) {
  hid_t type = H5I_INVALID_HID;
  if (kind == "integers") type = H5Tcopy(H5T_STD_I32LE);
  if (kind == "bits") type = H5Tcopy(H5T_STD_B32LE);
  if (kind == "opaque bytes") type = H5Tcreate(H5T_OPAQUE, 4);
  if (kind == "references") type = H5Tcopy(H5T_STD_REF_OBJ);
  if (kind == "an enumeration") type = H5Tenum_create(H5T_STD_I32LE);
  if (kind == "text" || kind == "long text") {
    type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, kind == "text" ? 4 : H5T_VARIABLE);
  }
  if (kind == "records") {
    type = H5Tcreate(H5T_COMPOUND, 4);
    H5Tinsert(type, "value", 0, H5T_IEEE_F32LE);
  }
  if (kind == "lists") type = H5Tvlen_create(H5T_IEEE_F32LE);
  if (kind == "arrays") {
    const hsize_t three = 3;
    type = H5Tarray_create2(H5T_IEEE_F32LE, 1, &three);
  }
  return {type, H5Tclose};
}

void add_types(const std::string& path, std::vector<HostileForm>& forms) {
  for (const char* const kind : {"integers", "bits", "opaque bytes", "references", "an enumeration", "text",
                                 "long text", "records", "lists", "arrays"}) {
    forms.push_back({path + ": " + kind, [path, kind](hid_t file) {
                       const Hdf5Handle space = simple(extents_of(file, path));
                       replace(file, path, type_of(kind).id(), space);
                     }});
  }
  forms.push_back({path + ": of a committed type", [path](hid_t file) {
                     const Hdf5Handle space = simple(extents_of(file, path));
                     const Hdf5Handle type(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
                     H5Tcommit_anon(file, type.id(), H5P_DEFAULT, H5P_DEFAULT);
                     replace(file, path, type.id(), space);
                   }});
}

void add_extents(const std::string& path, std::vector<HostileForm>& forms) {
  const auto add = [&](const std::string& what, std::function<Hdf5Handle(Extents)> space_of) {
    forms.push_back({path + ": " + what, [path, space_of = std::move(space_of)](hid_t file) {
                       replace(file, path, H5T_IEEE_F32LE, space_of(extents_of(file, path)));
                     }});
  };
  add("one row more", [](Extents extents) {
    ++extents[0];
    return simple(extents);
  });
  add("one axis more", [](Extents extents) {
    extents.push_back(1);
    return simple(extents);
  });
  add("no rows", [](Extents extents) {
    extents[0] = 0;
    return simple(extents);
  });
  add("2^40 rows", [](Extents extents) {
    extents[0] = hsize_t{1} << 40;
    return simple(extents);
  });
  add("a scalar", [](const Extents&) { return Hdf5Handle(H5Screate(H5S_SCALAR), H5Sclose); });
  add("no extents at all", [](const Extents&) { return Hdf5Handle(H5Screate(H5S_NULL), H5Sclose); });
}

void add_values(const std::string& path, std::vector<HostileForm>& forms) {
  const auto add = [&](const std::string& what, float value) {
    forms.push_back({path + ": " + what, [path, value](hid_t file) { change_first(file, path, value); }});
  };
  add("NaN", std::numeric_limits<float>::quiet_NaN());
  add("infinity", std::numeric_limits<float>::infinity());
  add("-infinity", -std::numeric_limits<float>::infinity());
  if (path.starts_with("optimizer/v/")) add("a negative square", -1e-3F);
  forms.push_back({path + ": numbers beyond float32", [path](hid_t file) {
                     const Extents extents = extents_of(file, path);
                     replace(file, path, H5T_IEEE_F64LE, simple(extents));
                     std::size_t count = 1;
                     for (const hsize_t extent : extents) count *= extent;
                     const std::vector<double> values(count, 1e300);
                     const Hdf5Handle made(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
                     H5Dwrite(made.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
                   }});
}

// Adds data sets whose values are elsewhere.
void add_elsewhere(const std::string& path, std::vector<HostileForm>& forms) {
  forms.push_back({path + ": values in another file", [path](hid_t file) {
                     const Hdf5Handle space = simple(extents_of(file, path));
                     const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
                     H5Pset_external(creation.id(), "/dev/zero", 0, H5F_UNLIMITED);
                     replace(file, path, H5T_IEEE_F32LE, space, creation.id());
                   }});
  forms.push_back({path + ": a view of another file", [path](hid_t file) {
                     const Hdf5Handle space = simple(extents_of(file, path));
                     const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
                     H5Pset_virtual(creation.id(), space.id(), "/nowhere.h5", "data", space.id());
                     replace(file, path, H5T_IEEE_F32LE, space, creation.id());
                   }});
}

}  // namespace

void add_data_set_forms(const std::string& path, std::vector<HostileForm>& forms) {
  add_types(path, forms);
  add_extents(path, forms);
  add_values(path, forms);
  add_elsewhere(path, forms);
}

}  // namespace lockstep
