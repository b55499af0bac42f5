// Fuzzes the reader of arrays in HDF5 files. The first byte of an input selects the meaning of the others: the packing
// of the array and the bytes that replace its chunks, which the check of chunks has to catch; or changes made through
// HDF5's own calls. Damage of HDF5's own structures is not tried: its reader was not made for it.
#include <hdf5.h>
#include <zlib.h>

#include <memory>
#include <vector>

#include "checkpoint_rewrite.h"
#include "data/arrays/hdf5_array.h"
#include "data/arrays/hdf5_handle.h"
#include "fuzzing.h"
#include "scratch_file.h"

using namespace lockstep;  // NOLINT(google-build-using-namespace): a program of one function

namespace {

constexpr hsize_t kExtents[] = {7, 3};
constexpr hsize_t kChunk[] = {2, 2};  // four rows of two chunks, some over the edge
constexpr std::size_t kChunkBytes = 16;
using Stored = std::vector<std::uint8_t>;

struct Packing {
  bool shuffle, gzip, checksum, latest, edges_plain;

  bool any() const { return shuffle || gzip || checksum; }
};

Packing packing_from(Input& input) {
  const std::uint8_t choice = input.byte();
  return {(choice & 1U) != 0, (choice & 2U) != 0, (choice & 4U) != 0, (choice & 8U) != 0, (choice & 16U) != 0};
}

Hdf5Handle create_file(const std::string& path, bool latest) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (latest) H5Pset_libver_bounds(access.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose};
}

Hdf5Handle write_array(hid_t file, const Packing& packing) {
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(creation.id(), false);
  H5Pset_chunk(creation.id(), 2, kChunk);
  if (packing.latest && packing.edges_plain) H5Pset_chunk_opts(creation.id(), H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
  if (packing.shuffle) H5Pset_shuffle(creation.id());
  if (packing.gzip) H5Pset_deflate(creation.id(), 1);
  if (packing.checksum) H5Pset_fletcher32(creation.id());
  const Hdf5Handle space(H5Screate_simple(2, kExtents, nullptr), H5Sclose);
  Hdf5Handle data_set(H5Dcreate2(file, "inputs", H5T_NATIVE_FLOAT, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                      H5Dclose);
  std::vector<float> values(kExtents[0] * kExtents[1], 1.5F);
  must(H5Dwrite(data_set.id(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  return data_set;
}

// Returns the stored bytes of a chunk: those of the input, or a number of bytes that it gives, packed by zlib and
// truncated or not.
Stored stored_from(Input& input) {
  const std::uint8_t kind = input.byte();
  if (kind % 2 == 0) {
    const auto given = input.take(input.byte());
    return {given.begin(), given.end()};
  }
  const Stored values(kind < 128 ? kChunkBytes : input.number(2), input.byte());
  uLongf size = compressBound(values.size());
  Stored stored(size);
  must(compress(stored.data(), &size, values.data(), values.size()) == Z_OK);
  const std::size_t cut = input.byte() % 16;
  stored.resize(size > cut ? size - cut : 0);
  const std::uint8_t more = input.byte() % 8;
  stored.resize(stored.size() + more);
  return stored;
}

void replace_chunks(const std::string& path, Input& input) {
  const QuietHdf5 quiet;
  const Packing packing = packing_from(input);
  const Hdf5Handle file = create_file(path, packing.latest);
  const Hdf5Handle data_set = write_array(file.id(), packing);
  while (!input.empty() && packing.any()) {
    const std::uint8_t where = input.byte();
    const hsize_t offset[] = {kChunk[0] * (where % 4U), kChunk[1] * (where / 4U % 2U)};
    const std::uint32_t skipped = input.byte() % 8U;
    const Stored stored = stored_from(input);
    if (!stored.empty()) H5Dwrite_chunk(data_set.id(), H5P_DEFAULT, skipped, offset, stored.size(), stored.data());
  }
}

// All that is read comes from the file: it does not depend on the previous content of memory.
void read_all(const std::string& path) {
  accepted({ExitCode::bad_data}, [&] {
    const auto source = open_hdf5_array(std::make_shared<const Hdf5File>(path), "inputs");
    const ArrayForm& form = source->form();
    constexpr std::int64_t kMostBytes = 1 << 20;  // far more than is ever written
    must(form.rows() * form.row_bytes() <= kMostBytes);
    const auto bytes = static_cast<std::size_t>(form.rows() * form.row_bytes());
    std::vector<std::byte> first(bytes, std::byte{0});
    std::vector<std::byte> second(bytes, std::byte{0xFF});
    source->read(0, form.rows(), first);
    open_hdf5_array(std::make_shared<const Hdf5File>(path), "inputs")->read(0, form.rows(), second);
    must(first == second);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static ScratchFile file;
  Input input(data, size);
  if (input.byte() % 4 != 0) {
    replace_chunks(file.path(), input);
  } else {
    {
      const QuietHdf5 quiet;
      const Packing packing = packing_from(input);
      const Hdf5Handle made = create_file(file.path(), packing.latest);
      write_array(made.id(), packing);
    }
    rewrite_hdf5(file.path(), input);
  }
  read_all(file.path());
  return 0;
}
