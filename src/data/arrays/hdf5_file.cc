#include "data/arrays/hdf5_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>

#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "data/arrays/hdf5_guard.h"

namespace lockstep {
namespace {

// File locks detect a program that is writing the file; files on a file system without locks are read anyway.
Hdf5Handle open_file(const std::string& path) {
  const QuietHdf5 quiet;
  const Hdf5Guard guard(path);
  const auto refuse = [&](const std::string& what) {
    throw Error(ExitCode::bad_data, fmt::format("'{}' {}", path, what));
  };
  if (H5Fis_hdf5(path.c_str()) == 0) {
    refuse("is no HDF5 file: it does not begin like one; is it another file under this name, or cut off?");
  }
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.id(), true, true);
  Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose);
  if (file) return file;
  const std::string complaint = hdf5_complaint();
  if (complaint.find("lock file") != std::string::npos) {
    refuse(
        fmt::format("is being written by another program; start again when that has closed it (HDF5: {})", complaint));
  }
  refuse(fmt::format("cannot be opened as an HDF5 file, it seems cut off or damaged; get or save it again (HDF5: {})",
                     complaint));
  return file;
}

// The kind of a group's member, to append to its name in messages. Links are not followed.
std::string kind_of_member(hid_t group, const char* name, H5L_type_t link) {
  if (link != H5L_TYPE_HARD) return fmt::format(" ({})", hdf5_link_kind(link));
  const Hdf5Handle object(H5Oopen(group, name, H5P_DEFAULT), H5Oclose);
  if (!object) return " (cannot be opened)";
  const H5I_type_t type = H5Iget_type(object.id());
  if (type == H5I_GROUP) return "/ (a group)";
  return type == H5I_DATASET ? "" : " (a type)";
}

}  // namespace

Hdf5File::Hdf5File(const std::string& path) : stamp_(path), file_(open_file(path)) {}

void Hdf5File::refuse(const std::string& data_set, const std::string& what) const {
  throw Error(ExitCode::bad_data, fmt::format("'{}', data set {}: {}", stamp_.path(), data_set, what));
}

std::string Hdf5File::contents() const {
  constexpr std::size_t kMaxNames = 20;  // names are enough for a message
  std::vector<std::string> names;
  // List the root group only: what lies below, at any depth, is the user's own, and a link may lead anywhere.
  const auto take = [](hid_t root, const char* name, const H5L_info_t* link, void* into) -> herr_t {
    auto& all = *static_cast<std::vector<std::string>*>(into);
    all.push_back(escaped(name) + kind_of_member(root, name, link->type));
    return all.size() > kMaxNames ? 1 : 0;
  };
  hsize_t position = 0;
  H5Literate(file_.id(), H5_INDEX_NAME, H5_ITER_INC, &position, take, &names);
  if (names.empty()) return "nothing at all";
  if (names.size() > kMaxNames) names.back() = "...";
  return fmt::format("{}", fmt::join(names, ", "));
}

bool Hdf5File::has(const std::string& name) const {
  const QuietHdf5 quiet;
  const Hdf5Guard guard(stamp_.path());
  return H5Lexists(file_.id(), name.c_str(), H5P_DEFAULT) > 0;
}

Hdf5Handle Hdf5File::open_data_set(const std::string& name) const {
  const QuietHdf5 quiet;
  const Hdf5Guard guard(stamp_.path());
  const auto no_data_set = [&] {
    throw Error(ExitCode::bad_data, fmt::format("'{}' has no data set {}; it has {}; inputs and targets are needed",
                                                stamp_.path(), name, contents()));
  };
  if (H5Lexists(file_.id(), name.c_str(), H5P_DEFAULT) <= 0) no_data_set();
  H5L_info_t link{};
  const bool found = H5Lget_info(file_.id(), name.c_str(), &link, H5P_DEFAULT) >= 0;
  if (found && link.type != H5L_TYPE_HARD) {
    refuse(name, fmt::format("it is {}, not an array, and links are not followed; copy the array itself into this file "
                             "under that name",
                             hdf5_link_kind(link.type)));
  }
  const Hdf5Handle object(found ? H5Oopen(file_.id(), name.c_str(), H5P_DEFAULT) : -1, H5Oclose);
  if (!object) {
    refuse(name, fmt::format("it cannot be opened; get or save the file again (HDF5: {})", hdf5_complaint()));
  }
  if (H5Iget_type(object.id()) != H5I_DATASET) no_data_set();
  // Blocks are whole chunks, each read once: without the library's cache they come straight into our memory.
  const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  H5Pset_chunk_cache(access.id(), H5D_CHUNK_CACHE_NSLOTS_DEFAULT, 0, H5D_CHUNK_CACHE_W0_DEFAULT);
  return {H5Dopen2(file_.id(), name.c_str(), access.id()), H5Dclose};
}

std::optional<std::int64_t> Hdf5File::integer_attribute(const std::string& data_set,
                                                        const std::string& attribute) const {
  const QuietHdf5 quiet;
  const Hdf5Guard guard(stamp_.path());
  const Hdf5Handle object = open_data_set(data_set);
  if (H5Aexists(object.id(), attribute.c_str()) <= 0) return std::nullopt;
  const Hdf5Handle opened(H5Aopen(object.id(), attribute.c_str(), H5P_DEFAULT), H5Aclose);
  const Hdf5Handle type(H5Aget_type(opened.id()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(opened.id()), H5Sclose);
  std::int64_t value = 0;
  if (H5Tget_class(type.id()) != H5T_INTEGER || H5Sget_simple_extent_npoints(space.id()) != 1 ||
      H5Aread(opened.id(), H5T_NATIVE_INT64, &value) < 0) {
    refuse(data_set, fmt::format("its attribute {} is not one whole number", attribute));
  }
  return value;
}

}  // namespace lockstep
