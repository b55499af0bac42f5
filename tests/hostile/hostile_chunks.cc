#include <hdf5.h>
#include <zlib.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "data/arrays/hdf5_handle.h"
#include "hostile/hostile_forms.h"

namespace lockstep {
namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::array kCompactFloats = {101.0F, 102.0F, 103.0F};

// Chunking and filters of a data set, and the stored bytes of its only chunk.
struct ChunkForm {
  std::string what;
  std::vector<H5Z_filter_t> filters{};
  std::function<Bytes(std::size_t)> stored{};  // from a chunk's size in bytes; none: nothing is stored
  std::uint32_t filter_mask = 0;               // filters that were left out for this chunk
};

Bytes packed(const Bytes& plain) {
  uLongf size = compressBound(plain.size());
  Bytes bytes(size);
  compress2(bytes.data(), &size, plain.data(), plain.size(), 1);
  bytes.resize(size);
  return bytes;
}

std::vector<ChunkForm> chunk_forms() {
  constexpr std::size_t kMany = std::size_t{64} << 20;
  const auto nothing = [](std::size_t) { return Bytes{}; };
  return {
      {"never written", {}},
      {"gzip of too little", {H5Z_FILTER_DEFLATE}, [](std::size_t size) { return packed(Bytes(size - 1)); }},
      {"gzip of too much", {H5Z_FILTER_DEFLATE}, [](std::size_t size) { return packed(Bytes(size + 1)); }},
      {"gzip of 64 MB", {H5Z_FILTER_DEFLATE}, [](std::size_t) { return packed(Bytes(kMany)); }},
      {"gzip of nothing", {H5Z_FILTER_DEFLATE}, [](std::size_t) { return packed({}); }},
      {"truncated gzip",
       {H5Z_FILTER_DEFLATE},
       [](std::size_t size) {
         Bytes bytes = packed(Bytes(size));
         bytes.resize(bytes.size() / 2);
         return bytes;
       }},
      {"no gzip at all", {H5Z_FILTER_DEFLATE}, [](std::size_t size) { return Bytes(size, 0xA5); }},
      {"gzip left out, too short", {H5Z_FILTER_DEFLATE}, [](std::size_t size) { return Bytes(size - 1); }, 1},
      {"shuffled gzip of too little",
       {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE},
       [](std::size_t size) { return packed(Bytes(size - 4)); }},
      {"a wrong checksum", {H5Z_FILTER_FLETCHER32}, [](std::size_t size) { return Bytes(size + 4, 1); }},
      {"less than a checksum", {H5Z_FILTER_FLETCHER32}, [](std::size_t) { return Bytes(3); }},
      {"a short chunk with a checksum", {H5Z_FILTER_FLETCHER32}, [](std::size_t size) { return Bytes(size); }},
      {"a filter that nobody knows", {511}, [](std::size_t size) { return Bytes(size); }},
      {"a packing that cannot be checked", {H5Z_FILTER_SCALEOFFSET}, [](std::size_t size) { return Bytes(size); }},
      {"empty chunks", {H5Z_FILTER_DEFLATE}, nothing},
      {"a plain chunk that is too short", {}, [](std::size_t size) { return Bytes(size - 1); }},
      {"a plain chunk that is too long", {}, [](std::size_t size) { return Bytes(size + 1); }},
  };
}

void put_chunk(hid_t file, const std::string& path, const ChunkForm& form) {
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  int axes = 0;
  {
    const Hdf5Handle old(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
    const Hdf5Handle space(H5Dget_space(old.id()), H5Sclose);
    axes = H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr);
  }
  std::size_t bytes = sizeof(float);
  for (int axis = 0; axis < axes; ++axis) bytes *= extents.at(static_cast<std::size_t>(axis));
  const Hdf5Handle space(H5Screate_simple(axes, extents.data(), nullptr), H5Sclose);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(creation.id(), axes, extents.data());
  for (const H5Z_filter_t filter : form.filters) {
    const unsigned level = 1;
    if (filter == H5Z_FILTER_SCALEOFFSET) {
      H5Pset_scaleoffset(creation.id(), H5Z_SO_FLOAT_DSCALE, 2);
    } else {
      H5Pset_filter(creation.id(), filter, H5Z_FLAG_OPTIONAL, filter == H5Z_FILTER_DEFLATE ? 1 : 0, &level);
    }
  }
  H5Ldelete(file, path.c_str(), H5P_DEFAULT);
  const Hdf5Handle made(
      H5Dcreate2(file, path.c_str(), H5T_IEEE_F32LE, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), H5Dclose);
  if (!form.stored) return;
  const Bytes stored = form.stored(bytes);
  const std::array<hsize_t, H5S_MAX_RANK> first{};
  H5Dwrite_chunk(made.id(), H5P_DEFAULT, form.filter_mask, first.data(), stored.size(), stored.data());
}

// Writes a chunk of 2 GB for a data set of a few numbers, which is allowed, as it can grow.
void put_huge_chunk(hid_t file, const std::string& path) {
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  std::array<hsize_t, H5S_MAX_RANK> most{};
  int axes = 0;
  {
    const Hdf5Handle old(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
    const Hdf5Handle space(H5Dget_space(old.id()), H5Sclose);
    axes = H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr);
  }
  most.fill(H5S_UNLIMITED);
  const Hdf5Handle space(H5Screate_simple(axes, extents.data(), most.data()), H5Sclose);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  std::array<hsize_t, H5S_MAX_RANK> chunk{};
  chunk.fill(1);
  chunk[0] = hsize_t{1} << 29;
  H5Pset_chunk(creation.id(), axes, chunk.data());
  H5Pset_deflate(creation.id(), 1);
  H5Ldelete(file, path.c_str(), H5P_DEFAULT);
  const Hdf5Handle made(
      H5Dcreate2(file, path.c_str(), H5T_IEEE_F32LE, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), H5Dclose);
  const Bytes stored = packed(Bytes(1 << 20));
  const std::array<hsize_t, H5S_MAX_RANK> first{};
  H5Dwrite_chunk(made.id(), H5P_DEFAULT, 0, first.data(), stored.size(), stored.data());
}

// Writes a data set of three floats, stored in its header.
void put_compact(hid_t file, const std::string& path) {
  H5Ldelete(file, path.c_str(), H5P_DEFAULT);
  const hsize_t extent = kCompactFloats.size();
  const Hdf5Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_layout(creation.id(), H5D_COMPACT);
  const Hdf5Handle made(
      H5Dcreate2(file, path.c_str(), H5T_IEEE_F32LE, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), H5Dclose);
  H5Dwrite(made.id(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, kCompactFloats.data());
}

// Sets its size in the header to 4 bytes: layout message, version 3, class compact (0), size.
void shorten_compact(std::string& bytes) {
  const auto layout = [](unsigned char size) {
    std::string text = {3, 0, static_cast<char>(size), 0};
    text.append(reinterpret_cast<const char*>(kCompactFloats.data()), sizeof(kCompactFloats));
    return text;
  };
  const std::size_t at = bytes.find(layout(sizeof(kCompactFloats)));
  if (at == std::string::npos) throw std::runtime_error("no compact data set to shorten");
  bytes[at + 2] = 4;
}

}  // namespace

void add_chunk_forms(const std::string& path, std::vector<HostileForm>& forms) {
  for (ChunkForm& form : chunk_forms()) {
    std::string name = path + ": " + form.what;
    const bool plain = form.filters.empty();  // only the oldest format records its size
    forms.push_back({.name = std::move(name),
                     .change = [path, form = std::move(form)](hid_t file) { put_chunk(file, path, form); },
                     .oldest_format = plain});
  }
  forms.push_back({.name = path + ": fewer bytes in the header than values",
                   .change = [path](hid_t file) { put_compact(file, path); },
                   .oldest_format = true,
                   .edit = shorten_compact});
  forms.push_back({path + ": a chunk of 2 GB", [path](hid_t file) { put_huge_chunk(file, path); }});
}

}  // namespace lockstep
