#include "data/arrays/hdf5_array.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/error.h"
#include "data/arrays/array_blocks.h"
#include "data/arrays/hdf5_chunks.h"
#include "data/arrays/hdf5_guard.h"
#include "data/arrays/hdf5_types.h"

namespace lockstep {
namespace {

ElementType element_type(const Hdf5File& file, const std::string& data_set, hid_t type) {
  if (const auto found = plain_type(type)) return *found;
  file.refuse(
      data_set,
      fmt::format("it holds {}, and plain numbers are needed: integers of 8 to 64 bits or floats of 16 "
                  "to 64 bits. In numpy, astype converts numbers, and unique(labels, return_inverse=True)[1] numbers "
                  "labels that are text",
                  name_of_other_type(type)));
}

std::int64_t unit_rows(const ArrayForm& form, hid_t creation) {
  if (H5Pget_layout(creation) != H5D_CHUNKED) return 1;
  std::array<hsize_t, H5S_MAX_RANK> chunk{};
  const int axes = H5Pget_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
  auto bytes = static_cast<std::int64_t>(size_of(form.type));
  for (int axis = 0; axis < axes; ++axis) bytes *= static_cast<std::int64_t>(chunk.at(static_cast<std::size_t>(axis)));
  return rows_of_chunk({.rows = std::min(static_cast<std::int64_t>(chunk[0]), form.rows()),
                        .bytes = bytes,
                        .packed = H5Pget_nfilters(creation) > 0},
                       form.row_bytes());
}

class Hdf5Array final : public ArraySource {
 public:
  // chunks: those of `object`.
  Hdf5Array(ArrayForm form, std::shared_ptr<const Hdf5File> file, std::string data_set, Hdf5Handle object,
            std::unique_ptr<Hdf5Chunks> chunks)
      : ArraySource(std::move(form)),
        file_(std::move(file)),
        data_set_(std::move(data_set)),
        object_(std::move(object)),
        type_(memory_type(this->form().type)),
        chunks_(std::move(chunks)) {}

  void read(std::int64_t first, std::int64_t count, std::span<std::byte> into) const override {
    LS_CHECK(first >= 0 && count >= 0 && first + count <= form().rows(), "rows outside the array");
    LS_CHECK(std::ssize(into) == count * form().row_bytes(), "room for the rows");
    const QuietHdf5 quiet;
    const Hdf5Guard guard(file_->stamp().path(), Hdf5Guard::kNoLimit);
    if (const auto fault = chunks_->fault_in_rows(first, count)) {
      file_->stamp().check_unchanged();  // a changed file is the better reason
      file_->refuse(data_set_, *fault);
    }
    std::vector<hsize_t> start(static_cast<std::size_t>(form().extents.rank()), 0);
    std::vector<hsize_t> size(form().extents.extents().begin(), form().extents.extents().end());
    start[0] = static_cast<hsize_t>(first);
    size[0] = static_cast<hsize_t>(count);
    const Hdf5Handle stored(H5Dget_space(object_.id()), H5Sclose);
    H5Sselect_hyperslab(stored.id(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr);
    const Hdf5Handle memory(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose);
    const bool failed = H5Dread(object_.id(), type_.id(), memory.id(), stored.id(), H5P_DEFAULT, into.data()) < 0;
    const std::string complaint = failed ? hdf5_complaint() : "";
    file_->stamp().check_unchanged();
    if (failed) {
      file_->refuse(data_set_, fmt::format("samples {} to {} cannot be read, the file is damaged; get or save it again "
                                           "(HDF5: {})",
                                           first, first + count - 1, complaint));
    }
  }

 private:
  std::shared_ptr<const Hdf5File> file_;
  std::string data_set_;
  Hdf5Handle object_;
  Hdf5Handle type_;
  std::unique_ptr<Hdf5Chunks> chunks_;
};

// Called before any other query: asking a virtual data set for its shape opens the data sets that it is made of.
void check_place(const Hdf5File& file, const std::string& data_set, hid_t creation) {
  const H5D_layout_t layout = H5Pget_layout(creation);
  if (layout != H5D_VIRTUAL && (layout != H5D_CONTIGUOUS || H5Pget_external_count(creation) == 0)) return;
  file.refuse(data_set, "its values lie in other files, whose changes nobody would notice; save them as one data set");
}

}  // namespace

std::unique_ptr<ArraySource> open_hdf5_array(std::shared_ptr<const Hdf5File> file, const std::string& data_set) {
  const QuietHdf5 quiet;
  const Hdf5Guard guard(file->stamp().path());
  Hdf5Handle object = file->open_data_set(data_set);
  const Hdf5Handle creation(H5Dget_create_plist(object.id()), H5Pclose);
  check_place(*file, data_set, creation.id());
  const Hdf5Handle type(H5Dget_type(object.id()), H5Tclose);
  if (H5Tcommitted(type.id()) > 0) {
    file->refuse(data_set,
                 "its type is a named one, an object of its own in the file; save the array as plain numbers");
  }
  ArrayForm form{.name = fmt::format("'{}', data set {}", file->stamp().path(), data_set),
                 .type = element_type(*file, data_set, type.id()),
                 .extents = {}};
  form.extents = checked_extents(form.name, hdf5_extents(object.id()), form.type);
  auto chunks = std::make_unique<Hdf5Chunks>(object.id());
  if (const auto fault = chunks->fault()) file->refuse(data_set, *fault);
  form.unit_rows = unit_rows(form, creation.id());
  return std::make_unique<Hdf5Array>(std::move(form), std::move(file), data_set, std::move(object), std::move(chunks));
}

}  // namespace lockstep
