#include "data/predictions/prediction_hdf5.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "base/error.h"
#include "data/arrays/hdf5_handle.h"
#include "data/arrays/hdf5_memory.h"

static_assert(std::endian::native == std::endian::little, "rows are written as they are in memory");

namespace lockstep {
namespace {

constexpr const char* kPredictions = "predictions";
constexpr const char* kProbabilities = "probabilities";
constexpr const char* kTargets = "targets";
constexpr const char* kLosses = "losses";
constexpr const char* kOffsets = "offsets";
constexpr const char* kTop = "top";
constexpr const char* kTopProbabilities = "top_probabilities";
constexpr const char* kSymbolTexts = "symbol_texts";
constexpr const char* kSymbolOffsets = "symbol_offsets";
constexpr std::int64_t kHeaders = 16 << 10;          // bytes; the headers take less
constexpr std::int64_t kMostBesidesRows = 64 << 10;  // bytes: headers and attributes

[[noreturn]] void cannot_lay_out(const std::string& what, const std::string& why) {
  throw Error(ExitCode::internal,
              fmt::format("the file for predictions cannot be laid out in memory: {}: {}", what, why));
}

std::int64_t laid_out(std::int64_t result, const char* what) {
  if (result < 0) cannot_lay_out(what, hdf5_complaint() + " (HDF5)");
  return result;
}

std::int64_t bytes_of_rows(const PredictionForm& form) {
  constexpr std::int64_t kBoth = sizeof(std::int32_t) + sizeof(float);  // a target, its loss; a class, its probability
  const std::int64_t values = form.values_of_row() * std::int64_t{sizeof(float)};
  const std::int64_t row = form.classes() ? values + std::int64_t{sizeof(std::int32_t)} + form.top * kBoth : values;
  if (!form.sequences) return form.rows() * row;
  return form.rows() * (row + kBoth) + (form.samples + 1) * std::int64_t{sizeof(std::int64_t)};
}

std::int64_t bytes_of_texts(const SymbolTexts& symbols) {
  std::int64_t bytes = 0;
  for (const std::string& text : symbols.texts) bytes += std::ssize(text);
  return bytes;
}

Hdf5Handle properties_without_times(hid_t property_class) {
  Hdf5Handle properties(H5Pcreate(property_class), H5Pclose);
  H5Pset_obj_track_times(properties.id(), false);
  return properties;
}

void put_attribute(hid_t file, const char* name, hid_t type, const void* value) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle made(laid_out(H5Acreate2(file, name, type, space.id(), H5P_DEFAULT, H5P_DEFAULT), name), H5Aclose);
  laid_out(H5Awrite(made.id(), type, value), name);
}

void put_text(hid_t file, const char* name, const std::string& text) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);  // h5py reads it as str
  const char* const begin = text.c_str();
  put_attribute(file, name, type.id(), static_cast<const void*>(&begin));
}

// Makes a data set whose rows have a file offset from the start. Returns that offset.
std::int64_t make_rows(hid_t file, const char* name, hid_t type, const std::vector<hsize_t>& extents) {
  const Hdf5Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose);
  const Hdf5Handle creation = properties_without_times(H5P_DATASET_CREATE);
  H5Pset_layout(creation.id(), H5D_CONTIGUOUS);
  H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER);
  const Hdf5Handle made(
      laid_out(H5Dcreate2(file, name, type, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), name), H5Dclose);
  const haddr_t place = H5Dget_offset(made.id());
  if (place == HADDR_UNDEF) cannot_lay_out(name, "HDF5 gave it no place");
  return static_cast<std::int64_t>(place);
}

PredictionPlaces places_in(hid_t file, const PredictionForm& form, const SymbolTexts& symbols) {
  const auto rows = static_cast<hsize_t>(form.rows());
  const auto outputs = static_cast<hsize_t>(form.outputs);
  if (!form.classes()) return {.predictions = make_rows(file, kPredictions, H5T_IEEE_F32LE, {rows, outputs})};
  PredictionPlaces places{.predictions = make_rows(file, kPredictions, H5T_STD_I32LE, {rows})};
  if (form.top > 0) {
    const auto top = static_cast<hsize_t>(form.top);
    places.top = make_rows(file, kTop, H5T_STD_I32LE, {rows, top});
    places.top_probabilities = make_rows(file, kTopProbabilities, H5T_IEEE_F32LE, {rows, top});
  }
  if (form.texts) {
    places.symbol_texts = make_rows(file, kSymbolTexts, H5T_STD_U8LE, {static_cast<hsize_t>(bytes_of_texts(symbols))});
    places.symbol_offsets = make_rows(file, kSymbolOffsets, H5T_STD_I64LE, {symbols.texts.size() + 1});
  }
  if (!form.sequences) {
    places.probabilities = make_rows(file, kProbabilities, H5T_IEEE_F32LE, {rows, outputs});
    return places;
  }
  places.probabilities = make_rows(file, kProbabilities, H5T_IEEE_F32LE, {rows});
  places.targets = make_rows(file, kTargets, H5T_STD_I32LE, {rows});
  places.losses = make_rows(file, kLosses, H5T_IEEE_F32LE, {rows});
  places.offsets = make_rows(file, kOffsets, H5T_STD_I64LE, {static_cast<hsize_t>(form.samples) + 1});
  return places;
}

struct Layout {
  PredictionPlaces places{};
  std::int64_t bytes = 0;  // of the file
};

// HDF5 itself writes only the headers, and all of them lie before the rows.
Layout lay_out(Hdf5Memory& memory, const PredictionForm& form, const PredictionOrigin& origin,
               const SymbolTexts& symbols) {
  const QuietHdf5 quiet;
  const Hdf5Handle creation = properties_without_times(H5P_FILE_CREATE);
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110);  // whatever the library's version
  H5Pset_meta_block_size(access.id(), kHeaders);
  constexpr std::size_t kIncrement = 4096;
  memory.use_for(access.id(), kIncrement);
  // No file of this name is ever made; HDF5 identifies open files by their names.
  const std::string name = fmt::format("predictions in memory at {}", static_cast<const void*>(&memory));
  const Hdf5Handle file(laid_out(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), "file"), H5Fclose);
  put_text(file.id(), "problem", origin.problem);
  put_text(file.id(), "split", origin.split);
  put_text(file.id(), "model", origin.model);
  put_attribute(file.id(), "step", H5T_NATIVE_INT64, &origin.step);
  put_text(file.id(), "checkpoint", origin.checkpoint);
  put_text(file.id(), "weights", origin.weights);
  if (form.texts) put_text(file.id(), "symbol_separator", symbols.separator);
  Layout layout{.places = places_in(file.id(), form, symbols)};
  hsize_t bytes = 0;
  laid_out(H5Fget_filesize(file.id(), &bytes), "size");
  layout.bytes = static_cast<std::int64_t>(bytes);
  return layout;
}

}  // namespace

PredictionPlaces lay_out_predictions(const TemporaryFile& file, const PredictionForm& form,
                                     const PredictionOrigin& origin, const SymbolTexts& symbols) {
  const std::int64_t texts =
      bytes_of_texts(symbols) + (std::ssize(symbols.texts) + 1) * std::int64_t{sizeof(std::int64_t)};
  const std::int64_t most = bytes_of_rows(form) + texts + kMostBesidesRows;
  file.reserve(most);
  Hdf5Memory memory(kMostBesidesRows);
  const Layout layout = lay_out(memory, form, origin, symbols);
  LS_CHECK(memory.closed() && layout.bytes <= most, "a file of other predictions");
  file.write_at(0, memory.first(std::min(memory.size(), static_cast<std::size_t>(layout.bytes))));
  file.reserve(layout.bytes);
  return layout.places;
}

}  // namespace lockstep
