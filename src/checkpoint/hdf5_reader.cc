#include "checkpoint/hdf5_reader.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "base/error.h"
#include "base/printable.h"
#include "data/arrays/hdf5_chunks.h"
#include "data/arrays/hdf5_guard.h"
#include "data/arrays/hdf5_types.h"

namespace lockstep {
namespace {

// Limit for hparams and config, the longest texts. A wrong length in a file could ask for any amount of memory.
constexpr std::size_t kMaxTextBytes = 64 << 20;

std::optional<std::string> fixed_text(hid_t attribute, hid_t type) {
  const std::size_t size = H5Tget_size(type);
  if (size > kMaxTextBytes) return std::nullopt;
  std::string text(size, '\0');
  if (H5Aread(attribute, type, text.data()) < 0) return std::nullopt;
  return text.substr(0, text.find('\0'));
}

// Text of variable length, as h5py writes str.
std::optional<std::string> variable_text(hid_t attribute, hid_t type) {
  char* text = nullptr;
  if (H5Aread(attribute, type, static_cast<void*>(&text)) < 0) return std::nullopt;
  const auto give_back = [](char* memory) { H5free_memory(memory); };
  const std::unique_ptr<char, decltype(give_back)> owner(text, give_back);
  return text == nullptr ? std::string() : std::string(text);
}

}  // namespace

CheckpointHdf5Reader::CheckpointHdf5Reader(const std::string& path) : file_(path) {}

void CheckpointHdf5Reader::inspect() {
  const Hdf5Guard guard(file_.stamp().path());
  contents_ = inspect_checkpoint(file_);
}

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
  const Hdf5Guard guard(file_.stamp().path());
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
  const Hdf5Guard guard(file_.stamp().path());
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
  std::int64_t with_sign = 0;  // read as unsigned, HDF5 would make 0 of negative numbers
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

Hdf5Handle CheckpointHdf5Reader::open_data_set(const std::string& path) const {
  const auto found = contents_.find(path);
  if (found == contents_.end() || found->second != Hdf5Kind::data_set) return {-1, H5Dclose};
  const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  H5Pset_chunk_cache(access.id(), H5D_CHUNK_CACHE_NSLOTS_DEFAULT, 0, H5D_CHUNK_CACHE_W0_DEFAULT);  // each is read once
  Hdf5Handle data_set(H5Dopen2(file_.id(), path.c_str(), access.id()), H5Dclose);
  if (!data_set) refuse(fmt::format("{} cannot be opened (HDF5: {})", escaped(path), hdf5_complaint()));
  return data_set;
}

std::vector<std::string> CheckpointHdf5Reader::members(const std::string& group) const {
  std::vector<std::string> names;
  const std::string front = group + "/";
  for (auto at = contents_.lower_bound(front); at != contents_.end() && at->first.starts_with(front); ++at) {
    if (at->first.find('/', front.size()) == std::string::npos) names.push_back(at->first.substr(front.size()));
  }
  return names;
}

std::vector<std::string> CheckpointHdf5Reader::data_sets(const std::string& group) const {
  std::vector<std::string> names;
  const std::string front = group + "/";
  for (auto at = contents_.lower_bound(front); at != contents_.end() && at->first.starts_with(front); ++at) {
    if (at->second == Hdf5Kind::data_set) names.push_back(at->first.substr(front.size()));
  }
  return names;
}

std::optional<std::vector<std::int64_t>> CheckpointHdf5Reader::extents(const std::string& data_set) const {
  const QuietHdf5 quiet;
  const Hdf5Guard guard(file_.stamp().path());
  const Hdf5Handle object = open_data_set(data_set);
  if (!object) return std::nullopt;
  const std::vector<std::uint64_t> found = hdf5_extents(object.id());
  return std::vector<std::int64_t>(found.begin(), found.end());
}

Hdf5Handle CheckpointHdf5Reader::open_values(const std::string& data_set, bool (*wanted)(ElementType),
                                             const char* otherwise) const {
  const auto refuse_it = [&](const std::string& what) { refuse(fmt::format("{} {}", escaped(data_set), what)); };
  Hdf5Handle object = open_data_set(data_set);
  const Hdf5Handle creation(H5Dget_create_plist(object.id()), H5Pclose);
  if (H5Pget_layout(creation.id()) == H5D_VIRTUAL || H5Pget_external_count(creation.id()) > 0) {
    refuse_it("has its values in other files, which no seal covers; write them into this one");
  }
  const Hdf5Handle type(H5Dget_type(object.id()), H5Tclose);
  if (const auto plain = plain_type(type.id()); !plain || !wanted(*plain)) refuse_it(otherwise);
  if (H5Tcommitted(type.id()) > 0) refuse_it("has a committed type, which is an object of its own; write it without");
  return object;
}

void CheckpointHdf5Reader::read_values(const Hdf5Handle& object, const std::string& data_set, std::int64_t type,
                                       void* into) const {
  if (const auto fault = check_chunks(object.id())) refuse(fmt::format("{}: {}", escaped(data_set), *fault));
  // HDF5 converts other byte orders and widths to ours.
  if (H5Dread(object.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, into) >= 0) return;
  refuse(fmt::format("{} cannot be read; get the file again, or write it again (HDF5: {})", escaped(data_set),
                     hdf5_complaint()));
}

void CheckpointHdf5Reader::read(const std::string& data_set, std::span<float> into) const {
  const QuietHdf5 quiet;
  const Hdf5Guard guard(file_.stamp().path(), Hdf5Guard::kNoLimit);
  const Hdf5Handle object = open_values(
      data_set, is_float, "holds no floating-point numbers of 16, 32 or 64 bits; write it with dtype='float32'");
  if (into.empty()) return;
  const Hdf5Handle space(H5Dget_space(object.id()), H5Sclose);
  LS_CHECK(H5Sget_simple_extent_npoints(space.id()) == std::ssize(into), "a variable of another size");
  read_values(object, data_set, H5T_NATIVE_FLOAT, into.data());
  const auto wrong = std::ranges::find_if_not(into, [](float value) { return std::isfinite(value); });
  if (wrong == into.end()) return;
  const Hdf5Handle type(H5Dget_type(object.id()), H5Tclose);
  const bool wider = H5Tget_size(type.id()) > sizeof(float);
  refuse(fmt::format("{} holds {} as element {}{}; every number of a checkpoint is finite", escaped(data_set), *wrong,
                     wrong - into.begin(), wider && std::isinf(*wrong) ? ", or one beyond what float32 can hold" : ""));
}

std::optional<std::string> CheckpointHdf5Reader::bytes(const std::string& data_set, std::int64_t most) const {
  if (!contents_.contains(data_set)) return std::nullopt;
  const QuietHdf5 quiet;
  const Hdf5Guard guard(file_.stamp().path(), Hdf5Guard::kNoLimit);
  const Hdf5Handle object = open_values(
      data_set, [](ElementType type) { return type == ElementType::uint8; },
      "holds no bytes; write it with dtype='uint8'");
  std::string values(row_size(object, data_set, most, "bytes"), '\0');
  if (!values.empty()) read_values(object, data_set, H5T_NATIVE_UINT8, values.data());
  return values;
}

std::vector<std::int64_t> CheckpointHdf5Reader::whole_numbers(const std::string& data_set, std::int64_t least,
                                                              std::int64_t most) const {
  const QuietHdf5 quiet;
  const Hdf5Guard guard(file_.stamp().path(), Hdf5Guard::kNoLimit);
  const Hdf5Handle object = open_values(
      data_set, [](ElementType type) { return type == ElementType::int32 || type == ElementType::int64; },
      "holds no integers of 32 or 64 bits with a sign; write it with dtype='int64'");
  std::vector<std::int64_t> values(row_size(object, data_set, most, "numbers"));
  if (!values.empty()) read_values(object, data_set, H5T_NATIVE_INT64, values.data());
  const auto wrong = std::ranges::find_if(values, [least](std::int64_t value) { return value < least; });
  if (wrong == values.end()) return values;
  refuse(fmt::format("{} holds {} as element {}; the least is {}", escaped(data_set), *wrong, wrong - values.begin(),
                     least));
}

std::size_t CheckpointHdf5Reader::row_size(const Hdf5Handle& object, const std::string& data_set, std::int64_t most,
                                           const char* elements) const {
  const Hdf5Handle type(H5Dget_type(object.id()), H5Tclose);
  const std::int64_t in_file = file_.stamp().bytes() / static_cast<std::int64_t>(H5Tget_size(type.id()));
  const std::int64_t limit = std::min(most, in_file);  // more would be packed, up to a thousandfold
  const std::vector<std::uint64_t> extents = hdf5_extents(object.id());
  if (extents.size() == 1 && extents.front() <= static_cast<std::uint64_t>(limit)) return extents.front();
  refuse(fmt::format("{} is no row of at most {} {}, {}", escaped(data_set), limit, elements,
                     limit < most ? "as many as the whole file has" : "as many as there may be"));
}

}  // namespace lockstep
