#include "data/arrays/hdf5_chunks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include "base/printable.h"
#include "data/arrays/hdf5_handle.h"
#include "data/arrays/hdf5_types.h"
#include "data/arrays/packed_chunk.h"

namespace lockstep {
namespace {

using Extents = std::vector<hsize_t>;

// Saturating product: sizes in a damaged file may be anything.
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  return b != 0 && a > kMost / b ? kMost : a * b;
}

std::uint64_t product(const Extents& extents) {
  std::uint64_t result = 1;
  for (const hsize_t extent : extents) result = times(result, extent);
  return result;
}

Extents chunk_extents(hid_t creation) {
  Extents chunk(H5S_MAX_RANK);
  const int axes = H5Pget_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
  chunk.resize(static_cast<std::size_t>(std::max(axes, 0)));
  return chunk;
}

std::uint64_t file_bytes_of(hid_t data_set) {
  const Hdf5Handle file(H5Iget_file_id(data_set), H5Fclose);
  hsize_t bytes = 0;
  H5Fget_filesize(file.id(), &bytes);
  return bytes;
}

std::optional<ChunkFilter> checked_filter(H5Z_filter_t filter) {
  switch (filter) {
    case H5Z_FILTER_DEFLATE:
      return ChunkFilter::deflate;
    case H5Z_FILTER_SHUFFLE:
      return ChunkFilter::shuffle;
    case H5Z_FILTER_FLETCHER32:
      return ChunkFilter::fletcher32;
    default:
      return std::nullopt;
  }
}

constexpr const char* kSaveAgain = "save it again unpacked or, in h5py, with compression='gzip'";

// Appends the data set's filters, or returns a fault that names one that cannot be checked.
std::optional<std::string> read_filters(hid_t creation, std::vector<ChunkFilter>& filters) {
  for (int i = 0; i < H5Pget_nfilters(creation); ++i) {
    std::array<char, 64> name{};
    unsigned flags = 0;
    std::size_t values = 0;
    unsigned config = 0;
    const H5Z_filter_t id =
        H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &values, nullptr, name.size(), name.data(), &config);
    name.back() = '\0';
    const std::optional<ChunkFilter> filter = checked_filter(id);
    if (!filter) {
      return fmt::format(
          "it is packed by the filter {} '{}', of whose chunks nobody can tell before whether they are "
          "whole; {}",
          static_cast<int>(id), escaped(name.data()), kSaveAgain);
    }
    if (*filter == ChunkFilter::deflate && std::ranges::find(filters, ChunkFilter::deflate) != filters.end()) {
      return fmt::format("it is packed by gzip twice; {}", kSaveAgain);
    }
    filters.push_back(*filter);
  }
  return std::nullopt;
}

// Checks the sizes of unpacked chunks. Only the oldest chunk index stores a size for each chunk; the others have one
// size for all. The library finds a chunk by counting from the first, so for very many chunks the check of the sum must
// do.
std::optional<std::string> fault_of_plain_chunks(hid_t data_set, hsize_t chunks, std::uint64_t bytes) {
  constexpr hsize_t kMostAsked = 4096;
  H5D_chunk_index_t index{};
  if (H5Dget_chunk_index_type(data_set, &index) < 0 || index != H5D_CHUNK_IDX_BTREE || chunks > kMostAsked) return {};
  const Hdf5Handle space(H5Dget_space(data_set), H5Sclose);
  for (hsize_t i = 0; i < chunks; ++i) {
    hsize_t stored = 0;
    H5Dget_chunk_info(data_set, space.id(), i, nullptr, nullptr, nullptr, &stored);
    if (stored == bytes) continue;
    return fmt::format("its chunk {} has {} bytes in the file, not {}: the file is damaged; get or save it again", i,
                       stored, bytes);
  }
  return {};
}

}  // namespace

struct Hdf5Chunks::Form {
  std::uint64_t values = 0;
  std::uint64_t value_bytes = 0;
  Extents extents{};
  bool chunked = false;
  Extents chunk{};  // as many axes as the extents
  std::vector<ChunkFilter> filters{};
  bool edges_plain = false;  // chunks that reach beyond the extents are not packed
  std::optional<std::string> filter_fault{};

  std::uint64_t chunk_bytes() const { return times(product(chunk), value_bytes); }

  std::uint64_t chunks() const {
    std::uint64_t count = 1;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      count = times(count, (extents[axis] - 1) / chunk[axis] + 1);
    }
    return count;
  }

  bool is_packed(const Extents& offset) const {
    if (!edges_plain) return true;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      if (extents[axis] - offset[axis] < chunk[axis]) return false;
    }
    return true;
  }

  // Advances to the next chunk with the same place along the first axis, the last axis the fastest; false if there is
  // none.
  bool advance(Extents& offset) const {
    for (std::size_t axis = extents.size(); axis-- > 1;) {
      offset[axis] += chunk[axis];
      if (offset[axis] < extents[axis]) return true;
      offset[axis] = 0;
    }
    return false;
  }

  // The fault of the chunk at `offset`, phrased to follow "the chunk of its rows 4 to 7 "; none if it is sound.
  std::optional<std::string> fault_at(hid_t data_set, const Extents& offset, std::vector<std::byte>& scratch) const;
};

std::optional<std::string> Hdf5Chunks::Form::fault_at(hid_t data_set, const Extents& offset,
                                                      std::vector<std::byte>& scratch) const {
  const std::uint64_t bytes = chunk_bytes();
  hsize_t stored = 0;
  if (H5Dget_chunk_storage_size(data_set, offset.data(), &stored) < 0) {
    return fmt::format("was never written (HDF5: {})", hdf5_complaint());
  }
  if (stored == 0) return "was never written";
  if (stored > most_packed_bytes(filters, bytes)) {
    return fmt::format("takes {} bytes in the file, more than its {} can be packed to", stored, bytes);
  }
  scratch.resize(static_cast<std::size_t>(stored));
  std::uint32_t skipped = 0;
  if (H5Dread_chunk(data_set, H5P_DEFAULT, offset.data(), &skipped, scratch.data()) < 0) {
    return fmt::format("cannot be read (HDF5: {})", hdf5_complaint());
  }
  const std::span<const ChunkFilter> all = filters;
  return packed_chunk_fault(is_packed(offset) ? all : all.first(0), skipped, scratch, bytes);
}

Hdf5Chunks::Hdf5Chunks(std::int64_t data_set) : data_set_(data_set) {
  const QuietHdf5 quiet;
  auto form = std::make_unique<Form>();
  const Hdf5Handle type(H5Dget_type(data_set), H5Tclose);
  const Hdf5Handle creation(H5Dget_create_plist(data_set), H5Pclose);
  for (const std::uint64_t extent : hdf5_extents(data_set)) form->extents.push_back(extent);
  form->values = product(form->extents);
  form->value_bytes = H5Tget_size(type.id());
  form->chunked = H5Pget_layout(creation.id()) == H5D_CHUNKED;
  if (form->chunked) {
    form->chunk = chunk_extents(creation.id());
    unsigned options = 0;
    H5Pget_chunk_opts(creation.id(), &options);
    form->edges_plain = (options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) != 0;
    form->filter_fault = read_filters(creation.id(), form->filters);
  }
  form_ = std::move(form);
}

Hdf5Chunks::~Hdf5Chunks() = default;

std::int64_t Hdf5Chunks::rows() const {
  return form_->extents.empty() ? 0 : static_cast<std::int64_t>(form_->extents[0]);
}

std::optional<std::string> Hdf5Chunks::fault() const {
  const QuietHdf5 quiet;
  const Form& form = *form_;
  if (form.values == 0) return std::nullopt;
  if (form.filter_fault) return form.filter_fault;
  const auto unwritten = [&](const char* what) {
    return fmt::format(
        "it has the shape ({}), but {} written to it; was the program that wrote it stopped? Write it "
        "again",
        fmt::join(form.extents, ", "), what);
  };
  const std::uint64_t all_bytes = times(form.values, form.value_bytes);
  const std::uint64_t stored = H5Dget_storage_size(data_set_);
  if (!form.chunked) {
    if (stored == all_bytes) return std::nullopt;
    if (stored == 0) return unwritten("no value was ever");
    return fmt::format("its {} bytes have {} in the file, which is damaged; get or save it again", all_bytes, stored);
  }
  if (form.chunk.size() != form.extents.size() || form.chunk_bytes() == 0) return "its chunks have no size";
  constexpr std::uint64_t kAlwaysPossible = 16 << 20;
  if (form.chunk_bytes() > std::max(kAlwaysPossible, all_bytes)) {
    return fmt::format("its chunks have {} bytes each, but all its values take {}; save it again with smaller chunks",
                       form.chunk_bytes(), all_bytes);
  }
  // The last chunk of an axis may reach beyond it by any amount: limit the unpacked size.
  constexpr std::uint64_t kMostGrowth = 8;
  const std::uint64_t unpacked_bytes = times(form.chunks(), form.chunk_bytes());
  if (unpacked_bytes > std::max(4 * kAlwaysPossible, times(kMostGrowth, all_bytes))) {
    return fmt::format(
        "its chunks have {} bytes together, more than {} times what its values take ({}); save it again with chunks "
        "within its shape",
        unpacked_bytes, kMostGrowth, all_bytes);
  }
  // Do not search a file for more chunks than it has bytes.
  hsize_t written = 0;
  const bool possible = form.chunks() <= file_bytes_of(data_set_);
  const Hdf5Handle space(H5Dget_space(data_set_), H5Sclose);
  if (possible && H5Dget_num_chunks(data_set_, space.id(), &written) < 0) {
    return fmt::format("its chunks cannot be found, the file is damaged; get or save it again (HDF5: {})",
                       hdf5_complaint());
  }
  if (written < form.chunks()) {
    const bool none = possible && written == 0;
    return unwritten(none ? "no value was ever" : "only a part of that was ever");
  }
  if (!form.filters.empty()) return std::nullopt;
  if (stored != times(written, form.chunk_bytes())) {
    return fmt::format("its {} chunks of {} bytes have {} bytes in the file, which is damaged; get or save it again",
                       written, form.chunk_bytes(), stored);
  }
  return fault_of_plain_chunks(data_set_, written, form.chunk_bytes());
}

std::optional<std::string> Hdf5Chunks::fault_in_rows(std::int64_t first, std::int64_t count) {
  if (!form_->chunked || form_->filters.empty() || form_->values == 0 || count == 0) return std::nullopt;
  const QuietHdf5 quiet;
  const std::uint64_t rows = form_->chunk[0];
  const std::uint64_t end = (static_cast<std::uint64_t>(first + count) - 1) / rows + 1;
  std::vector<std::byte> scratch;
  for (std::uint64_t row = static_cast<std::uint64_t>(first) / rows; row < end; ++row) {
    if (is_sound(row)) continue;
    if (auto found = fault_in_row_of_chunks(row, scratch)) return found;
    set_sound(row);
  }
  return std::nullopt;
}

std::optional<std::string> Hdf5Chunks::fault_in_row_of_chunks(std::uint64_t row,
                                                              std::vector<std::byte>& scratch) const {
  Extents offset(form_->extents.size(), 0);
  offset[0] = row * form_->chunk[0];
  do {
    const auto found = form_->fault_at(data_set_, offset, scratch);
    if (!found) continue;
    return fmt::format("the chunk of its rows {} to {} {}: the file is damaged; get or save it again", offset[0],
                       std::min(offset[0] + form_->chunk[0], form_->extents[0]) - 1, *found);
  } while (form_->advance(offset));
  return std::nullopt;
}

bool Hdf5Chunks::is_sound(std::uint64_t row) {
  const std::lock_guard lock(mutex_);
  return row < sound_.size() && sound_[static_cast<std::size_t>(row)];
}

void Hdf5Chunks::set_sound(std::uint64_t row) {
  const std::lock_guard lock(mutex_);
  // At most as many as fault() has counted in the file.
  if (sound_.empty()) sound_.resize(static_cast<std::size_t>((form_->extents[0] - 1) / form_->chunk[0] + 1));
  sound_[static_cast<std::size_t>(row)] = true;
}

std::optional<std::string> check_chunks(std::int64_t data_set) {
  Hdf5Chunks chunks(data_set);
  if (auto found = chunks.fault()) return found;
  return chunks.fault_in_rows(0, chunks.rows());
}

}  // namespace lockstep
