#include "checkpoint/hdf5_reader.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "base/error.h"

namespace lockstep {
namespace {

// hparams and config are the longest texts. A length in a file that is wrong could ask for any amount of memory.
constexpr std::size_t kMaxTextBytes = 64 << 20;

// Every path that hard links make, from the root on.
std::set<std::string, std::less<>> paths_in(hid_t file) {
  const QuietHdf5 quiet;
  std::set<std::string, std::less<>> paths;
  const auto take = [](hid_t, const char* name, const H5L_info_t* link, void* into) -> herr_t {
    if (link->type == H5L_TYPE_HARD) static_cast<decltype(paths)*>(into)->insert(name);
    return 0;
  };
  if (H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, take, &paths) < 0) paths.clear();  // what is missing is reported later
  return paths;
}

std::optional<std::string> fixed_text(hid_t attribute, hid_t type) {
  const std::size_t size = H5Tget_size(type);
  if (size > kMaxTextBytes) return std::nullopt;
  std::string text(size, '\0');
  if (H5Aread(attribute, type, text.data()) < 0) return std::nullopt;
  return text.substr(0, text.find('\0'));
}

// h5py writes str so.
std::optional<std::string> variable_text(hid_t attribute, hid_t type) {
  char* text = nullptr;
  if (H5Aread(attribute, type, static_cast<void*>(&text)) < 0) return std::nullopt;
  const auto give_back = [](char* memory) { H5free_memory(memory); };
  const std::unique_ptr<char, decltype(give_back)> owner(text, give_back);
  return text == nullptr ? std::string() : std::string(text);
}

}  // namespace

CheckpointHdf5Reader::CheckpointHdf5Reader(const std::string& path) : file_(path), paths_(paths_in(file_.id())) {}

void CheckpointHdf5Reader::refuse(const std::string& what) const {
  throw Error(ExitCode::bad_data, fmt::format("'{}': {}", file_.stamp().path(), what));
}

std::optional<Hdf5Handle> CheckpointHdf5Reader::attribute(const char* name) const {
  if (H5Aexists(file_.id(), name) <= 0) return std::nullopt;
  Hdf5Handle opened(H5Aopen(file_.id(), name, H5P_DEFAULT), H5Aclose);
  if (!opened) refuse(fmt::format("its attribute {} cannot be opened (HDF5: {})", name, hdf5_complaint()));
  const Hdf5Handle space(H5Aget_space(opened.id()), H5Sclose);
  if (H5Sget_simple_extent_npoints(space.id()) != 1) {
    refuse(fmt::format("its attribute {} is an array, one value is needed", name));
  }
  return opened;
}

std::optional<std::string> CheckpointHdf5Reader::text(const char* name) const {
  const QuietHdf5 quiet;
  const std::optional<Hdf5Handle> found = attribute(name);
  if (!found) return std::nullopt;
  const Hdf5Handle type(H5Aget_type(found->id()), H5Tclose);
  if (H5Tget_class(type.id()) != H5T_STRING) refuse(fmt::format("its attribute {} is no text", name));
  const bool variable = H5Tis_variable_str(type.id()) > 0;
  auto read = variable ? variable_text(found->id(), type.id()) : fixed_text(found->id(), type.id());
  if (read) return read;
  refuse(fmt::format("its attribute {} cannot be read (HDF5: {})", name, hdf5_complaint()));
}

std::optional<std::uint64_t> CheckpointHdf5Reader::unsigned_number(const char* name) const {
  const QuietHdf5 quiet;
  const std::optional<Hdf5Handle> found = attribute(name);
  if (!found) return std::nullopt;
  const Hdf5Handle type(H5Aget_type(found->id()), H5Tclose);
  const auto no_number = [&] { refuse(fmt::format("its attribute {} is not one whole number from 0 on", name)); };
  if (H5Tget_class(type.id()) != H5T_INTEGER || H5Tget_size(type.id()) > sizeof(std::uint64_t)) no_number();
  std::uint64_t value = 0;
  if (H5Tget_sign(type.id()) == H5T_SGN_NONE) {
    if (H5Aread(found->id(), H5T_NATIVE_UINT64, &value) < 0) no_number();
    return value;
  }
  std::int64_t with_sign = 0;  // read as unsigned, HDF5 would make 0 of all below
  if (H5Aread(found->id(), H5T_NATIVE_INT64, &with_sign) < 0 || with_sign < 0) no_number();
  return static_cast<std::uint64_t>(with_sign);
}

std::optional<std::int64_t> CheckpointHdf5Reader::whole_number(const char* name) const {
  const std::optional<std::uint64_t> value = unsigned_number(name);
  if (!value) return std::nullopt;
  if (*value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    refuse(fmt::format("its attribute {} is {}, more than 64 bits with a sign hold", name, *value));
  }
  return static_cast<std::int64_t>(*value);
}

Hdf5Handle CheckpointHdf5Reader::open(const std::string& path) const {
  if (!paths_.contains(path)) return {-1, H5Oclose};
  Hdf5Handle object(H5Oopen(file_.id(), path.c_str(), H5P_DEFAULT), H5Oclose);
  if (!object) refuse(fmt::format("{} cannot be opened (HDF5: {})", printable(path), hdf5_complaint()));
  return object;
}

std::vector<std::string> CheckpointHdf5Reader::members(const std::string& group) const {
  std::vector<std::string> names;
  const std::string front = group + "/";
  for (auto at = paths_.lower_bound(front); at != paths_.end() && at->starts_with(front); ++at) {
    if (at->find('/', front.size()) == std::string::npos) names.push_back(at->substr(front.size()));
  }
  return names;
}

std::vector<std::string> CheckpointHdf5Reader::data_sets(const std::string& group) const {
  const QuietHdf5 quiet;
  std::vector<std::string> names;
  const std::string front = group + "/";
  for (auto at = paths_.lower_bound(front); at != paths_.end() && at->starts_with(front); ++at) {
    if (H5Iget_type(open(*at).id()) == H5I_DATASET) names.push_back(at->substr(front.size()));
  }
  return names;
}

std::optional<std::vector<std::int64_t>> CheckpointHdf5Reader::extents(const std::string& data_set) const {
  const QuietHdf5 quiet;
  const Hdf5Handle object = open(data_set);
  if (!object || H5Iget_type(object.id()) != H5I_DATASET) return std::nullopt;
  const Hdf5Handle space(H5Dget_space(object.id()), H5Sclose);
  if (H5Sget_simple_extent_type(space.id()) == H5S_NULL) return std::vector<std::int64_t>{0};  // h5py's Empty
  std::array<hsize_t, H5S_MAX_RANK> sizes{};
  const int axes = H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr);
  if (axes < 0) refuse(fmt::format("{} has no shape", printable(data_set)));
  return std::vector<std::int64_t>(sizes.begin(), sizes.begin() + axes);
}

void CheckpointHdf5Reader::read(const std::string& data_set, std::span<float> into) const {
  const QuietHdf5 quiet;
  const auto refuse_it = [&](const std::string& what) { refuse(fmt::format("{} {}", printable(data_set), what)); };
  const Hdf5Handle object = open(data_set);
  const Hdf5Handle creation(H5Dget_create_plist(object.id()), H5Pclose);
  if (H5Pget_layout(creation.id()) == H5D_VIRTUAL || H5Pget_external_count(creation.id()) > 0) {
    refuse_it("has its values in other files, which no seal covers; write them into this one");
  }
  const Hdf5Handle type(H5Dget_type(object.id()), H5Tclose);
  if (H5Tget_class(type.id()) != H5T_FLOAT) refuse_it("holds no floating-point numbers; write it with dtype='float32'");
  if (into.empty()) return;
  const Hdf5Handle space(H5Dget_space(object.id()), H5Sclose);
  LS_CHECK(H5Sget_simple_extent_npoints(space.id()) == std::ssize(into), "a variable of another size");
  // HDF5 turns other byte orders and widths into ours.
  if (H5Dread(object.id(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, into.data()) < 0) {
    refuse_it(fmt::format("cannot be read; get the file again, or write it again (HDF5: {})", hdf5_complaint()));
  }
  const bool wider = H5Tget_size(type.id()) > sizeof(float);
  if (wider && !std::ranges::all_of(into, [](float value) { return std::isfinite(value); })) {
    refuse_it("holds numbers beyond what float32 can hold");
  }
}

}  // namespace lockstep
