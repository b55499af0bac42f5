#include "checkpoint/hdf5_writer.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/error.h"

namespace lockstep {
namespace {

// Properties without times, which would make two saves of one state differ.
Hdf5Handle without_times(hid_t property_class) {
  Hdf5Handle properties(H5Pcreate(property_class), H5Pclose);
  H5Pset_obj_track_times(properties.id(), false);
  return properties;
}

// HDF5 1.10's format has checksums over its own structures, and takes attributes beyond 64 KB. Newer libraries write it
// on request.
Hdf5Handle create_file(Hdf5Memory& memory) {
  const Hdf5Handle creation = without_times(H5P_FILE_CREATE);
  constexpr unsigned kAttributesInline = 64;  // in the root group's header, where they take least space
  H5Pset_attr_phase_change(creation.id(), kAttributesInline, 0);
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  memory.use_for(access.id());
  // No file of this name is ever created; HDF5 identifies open files by their names.
  const std::string name = fmt::format("checkpoint in memory at {}", static_cast<const void*>(&memory));
  return {H5Fcreate(name.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose};
}

std::array<hsize_t, Shape::kMaxRank> sizes_of(const Shape& shape) {
  std::array<hsize_t, Shape::kMaxRank> sizes{};
  std::ranges::copy(shape.extents(), sizes.begin());
  return sizes;
}

}  // namespace

Shape chunk_of(const Shape& shape, std::int64_t element_bytes) {
  const std::int64_t max_elements = (4 << 20) / element_bytes;
  std::vector<std::int64_t> chunk(shape.extents().begin(), shape.extents().end());
  std::int64_t elements = shape.elements();
  for (std::int64_t& extent : chunk) {
    if (elements <= max_elements) break;
    const std::int64_t inner = elements / extent;
    const std::int64_t rows = std::max<std::int64_t>(max_elements / inner, 1);
    const std::int64_t parts = (extent + rows - 1) / rows;
    extent = (extent + parts - 1) / parts;
    elements = extent * inner;
  }
  return Shape(chunk);
}

CheckpointHdf5Writer::CheckpointHdf5Writer(Hdf5Memory& memory) : memory_(memory), file_(create_file(memory)) {
  checked(file_.id(), "file");
}

std::int64_t CheckpointHdf5Writer::checked(std::int64_t result, std::string_view what) const {
  if (result >= 0) return result;
  throw Error(ExitCode::internal, fmt::format("a checkpoint's {} cannot be made in memory: {} (HDF5)", what,
                                              memory_.exhausted() ? "there is no more memory" : hdf5_complaint()));
}

void CheckpointHdf5Writer::put_attribute(const char* name, std::int64_t type, const void* value) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle made(checked(H5Acreate2(file_.id(), name, type, space.id(), H5P_DEFAULT, H5P_DEFAULT), name),
                        H5Aclose);
  const hid_t native = H5Tget_class(type) == H5T_STRING    ? type
                       : H5Tget_sign(type) == H5T_SGN_NONE ? H5T_NATIVE_UINT64
                                                           : H5T_NATIVE_INT64;
  checked(H5Awrite(made.id(), native, value), name);
}

void CheckpointHdf5Writer::attribute(const char* name, const std::string& text) {
  LS_CHECK(text.find('\0') == std::string::npos, fmt::format("{} has a NUL in it, where HDF5 ends a text", name));
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);  // h5py reads it as str
  const char* begin = text.c_str();
  put_attribute(name, type.id(), static_cast<const void*>(&begin));
}

void CheckpointHdf5Writer::attribute(const char* name, std::int64_t value) {
  put_attribute(name, H5T_STD_I64LE, &value);
}

void CheckpointHdf5Writer::attribute(const char* name, std::uint64_t value) {
  put_attribute(name, H5T_STD_U64LE, &value);
}

// Creates a group and its parents. Each is created here, because HDF5 would give a time to those it creates by itself.
void CheckpointHdf5Writer::make_group(std::string_view path) {
  if (groups_.contains(path)) return;
  if (const auto slash = path.rfind('/'); slash != std::string_view::npos) make_group(path.substr(0, slash));
  const std::string name(path);
  const Hdf5Handle creation = without_times(H5P_GROUP_CREATE);
  const Hdf5Handle made(checked(H5Gcreate2(file_.id(), name.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), name),
                        H5Gclose);
  groups_.insert(name);
}

void CheckpointHdf5Writer::data_set(const std::string& path, const Shape& shape, std::int64_t stored, std::int64_t here,
                                    const void* values) {
  const auto sizes = sizes_of(shape);
  const Hdf5Handle space(
      shape.rank() == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(shape.rank(), sizes.data(), nullptr), H5Sclose);
  const Hdf5Handle creation = without_times(H5P_DATASET_CREATE);
  H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER);  // all of it is written
  if (shape.rank() == 0 || shape.elements() == 0) {
    // HDF5 does not chunk scalars, and has checksums for chunks only. These lie in the data set's header, which has a
    // checksum of its own.
    H5Pset_layout(creation.id(), H5D_COMPACT);
  } else {
    const std::size_t element_bytes = std::max(H5Tget_size(stored), sizeof(float));  // bytes are chunked as floats are
    H5Pset_chunk(creation.id(), shape.rank(),
                 sizes_of(chunk_of(shape, static_cast<std::int64_t>(element_bytes))).data());
    H5Pset_fletcher32(creation.id());
  }
  const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  H5Pset_chunk_cache(access.id(), H5D_CHUNK_CACHE_NSLOTS_DEFAULT, 0, H5D_CHUNK_CACHE_W0_DEFAULT);  // no reuse
  const Hdf5Handle made(
      checked(H5Dcreate2(file_.id(), path.c_str(), stored, space.id(), H5P_DEFAULT, creation.id(), access.id()), path),
      H5Dclose);
  if (shape.elements() == 0) return;
  checked(H5Dwrite(made.id(), here, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), path);
}

void CheckpointHdf5Writer::variables(const std::string& group, const ParameterTable& table, const Values& values) {
  make_group(group);
  for (const Variable& variable : table.variables()) {
    const std::string path = fmt::format("{}/{}", group, variable.name);
    make_group(std::string_view(path).substr(0, path.rfind('/')));
    data_set(path, variable.shape, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, values(variable));
  }
}

void CheckpointHdf5Writer::bytes(const std::string& name, const std::string& values) {
  data_set(name, Shape{std::ssize(values)}, H5T_STD_U8LE, H5T_NATIVE_UINT8, values.data());
}

void CheckpointHdf5Writer::whole_numbers(const std::string& path, std::span<const std::int64_t> values) {
  make_group(std::string_view(path).substr(0, path.rfind('/')));
  data_set(path, Shape{std::ssize(values)}, H5T_STD_I64LE, H5T_NATIVE_INT64, values.data());
}

std::size_t CheckpointHdf5Writer::finish() {
  checked(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "end");
  return static_cast<std::size_t>(checked(H5Fget_file_image(file_.id(), nullptr, 0), "size"));
}

}  // namespace lockstep
