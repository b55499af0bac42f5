#include "hdf5_files.h"

#include <doctest/doctest.h>
#include <hdf5.h>

namespace lockstep {

Hdf5Writer::Hdf5Writer(const std::string& path)
    : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {
  REQUIRE(file_ >= 0);
}

Hdf5Writer::~Hdf5Writer() { H5Fclose(file_); }

void Hdf5Writer::write(const std::string& name, const std::vector<std::uint64_t>& shape, std::int64_t type,
                       const void* values, const Hdf5Layout& layout, std::int64_t memory_type) {
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  const std::vector<hsize_t> chunk(layout.chunk.begin(), layout.chunk.end());
  const hid_t space = extents.empty() ? H5Screate(H5S_SCALAR)
                                      : H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  if (!chunk.empty()) H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
  if (layout.shuffle) H5Pset_shuffle(creation);
  if (layout.gzip) H5Pset_deflate(creation, 4);
  if (layout.unknown_filter) H5Pset_filter(creation, 511, H5Z_FLAG_OPTIONAL, 0, nullptr);
  if (layout.checksum) H5Pset_fletcher32(creation);
  const hid_t data = H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  REQUIRE(data >= 0);
  if (values != nullptr) {
    REQUIRE(H5Dwrite(data, memory_type < 0 ? type : memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  }
  H5Dclose(data);
  H5Pclose(creation);
  H5Sclose(space);
}

void Hdf5Writer::stored_chunk(const std::string& name, const std::vector<std::uint64_t>& offset, const Bytes& stored,
                              std::uint32_t skipped) {
  const std::vector<hsize_t> at(offset.begin(), offset.end());
  const hid_t data = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
  CAPTURE(name);
  CAPTURE(stored.size());
  REQUIRE(H5Dwrite_chunk(data, H5P_DEFAULT, skipped, at.data(), stored.size(), stored.data()) >= 0);
  H5Dclose(data);
}

void Hdf5Writer::group(const std::string& name) {
  H5Gclose(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

void Hdf5Writer::attribute(const std::string& data_set, const std::string& name, std::int64_t value) {
  const hid_t data = H5Dopen2(file_, data_set.c_str(), H5P_DEFAULT);
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate2(data, name.c_str(), H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT);
  REQUIRE(H5Awrite(attribute, H5T_NATIVE_INT64, &value) >= 0);
  H5Aclose(attribute);
  H5Sclose(space);
  H5Dclose(data);
}

void Hdf5Writer::text_attribute(const std::string& data_set, const std::string& name, const std::string& value) {
  const hid_t data = H5Dopen2(file_, data_set.c_str(), H5P_DEFAULT);
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, value.size());
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate2(data, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
  REQUIRE(H5Awrite(attribute, type, value.data()) >= 0);
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(data);
}

std::int64_t Hdf5Writer::type_of(std::uint8_t) { return H5T_NATIVE_UINT8; }
std::int64_t Hdf5Writer::type_of(std::int8_t) { return H5T_NATIVE_INT8; }
std::int64_t Hdf5Writer::type_of(std::uint16_t) { return H5T_NATIVE_UINT16; }
std::int64_t Hdf5Writer::type_of(std::int32_t) { return H5T_NATIVE_INT32; }
std::int64_t Hdf5Writer::type_of(std::int64_t) { return H5T_NATIVE_INT64; }
std::int64_t Hdf5Writer::type_of(std::uint64_t) { return H5T_NATIVE_UINT64; }
std::int64_t Hdf5Writer::type_of(float) { return H5T_NATIVE_FLOAT; }
std::int64_t Hdf5Writer::type_of(double) { return H5T_NATIVE_DOUBLE; }

}  // namespace lockstep
