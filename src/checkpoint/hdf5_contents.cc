#include "checkpoint/hdf5_contents.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "checkpoint/format.h"

namespace lockstep {
namespace {

#if H5_VERSION_GE(1, 12, 0)
using ObjectInfo = H5O_info1_t;
#else
using ObjectInfo = H5O_info_t;
#endif

struct Link {
  std::string name;
  H5L_type_t type;
};

struct Links {
  std::vector<Link> found{};
  std::size_t most;
};

// One walk over one file.
class Inspection {
 public:
  explicit Inspection(const Hdf5File& file) : file_(file) {}

  Hdf5Contents run() {
    const Hdf5Handle root = open("/");
    enter(kRoot, root.id());
    list("", root.id());
    while (!waiting_.empty()) {
      const std::string group = std::move(waiting_.back());
      waiting_.pop_back();
      list(group, open(group).id());
    }
    return std::move(contents_);
  }

 private:
  static constexpr const char* kRoot = "its root group";

  [[noreturn]] void refuse(const std::string& path, const std::string& what) const {
    throw Error(ExitCode::bad_data, fmt::format("'{}': {} {}", file_.stamp().path(), escaped(path), what));
  }

  Hdf5Handle open(const std::string& path) const {
    Hdf5Handle object(H5Oopen(file_.id(), path.c_str(), H5P_DEFAULT), H5Oclose);
    if (!object) refuse(path, fmt::format("cannot be opened (HDF5: {})", hdf5_complaint()));
    return object;
  }

  // Lists the members of a group. path: "" for the root.
  void list(const std::string& path, hid_t group) {
    Links links{.most = kMaxHdf5Members - contents_.size()};
    const auto take = [](hid_t, const char* name, const H5L_info_t* link, void* into) -> herr_t {
      auto& all = *static_cast<Links*>(into);
      if (all.found.size() > all.most) return 1;
      all.found.push_back({name, link->type});
      return 0;
    };
    hsize_t position = 0;
    if (H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, &position, take, &links) < 0) {
      refuse(path.empty() ? kRoot : path, fmt::format("cannot be read (HDF5: {})", hdf5_complaint()));
    }
    if (links.found.size() > links.most) {
      refuse(path.empty() ? kRoot : path,
             fmt::format("and what was listed before have more than {} members", kMaxHdf5Members));
    }
    if (links.found.empty() && path.find('/') != std::string::npos) refuse(path, "is an empty group");
    for (const Link& link : links.found) add(path, link);
  }

  void add(const std::string& group, const Link& link) {
    const std::string path = group.empty() ? link.name : fmt::format("{}/{}", group, link.name);
    if (link.type != H5L_TYPE_HARD) {
      refuse(path, fmt::format("is {}; a checkpoint has all its groups and data sets in itself, without links",
                               hdf5_link_kind(link.type)));
    }
    if (group.empty()) check_top(path);
    if (static_cast<std::size_t>(std::ranges::count(path, '/')) >= kMaxHdf5Depth) {
      refuse(path, fmt::format("lies deeper than {} groups", kMaxHdf5Depth));
    }
    const Hdf5Kind kind = enter(path, open(path).id());
    if (path == kVocabularyDataSet && kind != Hdf5Kind::data_set) refuse(path, "is a group; a data set is needed");
    if (group.empty() && path != kVocabularyDataSet && kind != Hdf5Kind::group) {
      refuse(path, "is a data set; a group is needed");
    }
    if (kind == Hdf5Kind::group) waiting_.push_back(path);
    contents_.emplace(path, kind);
  }

  void check_top(const std::string& name) const {
    const std::array known = {kParametersGroup, kOptimizerGroup, kAverageGroup,
                              kReplicasGroup,   kMissedGroup,    kVocabularyDataSet};
    if (std::ranges::find(known, name) == known.end()) refuse(name, "is nothing that a checkpoint has");
  }

  // Returns an object's kind; refuses an object that was seen before, under another name.
  Hdf5Kind enter(const std::string& path, hid_t object) {
    ObjectInfo info{};
    if (H5Oget_info2(object, &info, H5O_INFO_BASIC) < 0) {
      refuse(path, fmt::format("cannot be read (HDF5: {})", hdf5_complaint()));
    }
    if (!seen_.insert(info.addr).second) refuse(path, "is another name of a group or data set that has one already");
    if (info.type == H5O_TYPE_GROUP) return Hdf5Kind::group;
    if (info.type == H5O_TYPE_DATASET) return Hdf5Kind::data_set;
    refuse(path, "is a committed type; only groups and data sets are needed");
  }

  const Hdf5File& file_;
  Hdf5Contents contents_;
  std::set<haddr_t> seen_;
  std::vector<std::string> waiting_;  // groups not listed yet
};

}  // namespace

Hdf5Contents inspect_checkpoint(const Hdf5File& file) {
  const QuietHdf5 quiet;
  return Inspection(file).run();
}

}  // namespace lockstep
