#include "data/arrays/hdf5_handle.h"

#include <hdf5.h>

#include <type_traits>

#include "base/printable.h"

namespace lockstep {

static_assert(std::is_same_v<hid_t, std::int64_t>, "identifiers as the header declares them");

QuietHdf5::QuietHdf5() {
  H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietHdf5::~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, print_, print_data_); }

const char* hdf5_link_kind(int type) {
  if (type == H5L_TYPE_SOFT) return "a soft link";
  return type == H5L_TYPE_EXTERNAL ? "an external link" : "a user-defined link";
}

std::string hdf5_complaint() {
  std::string complaint;
  const auto take = [](unsigned depth, const H5E_error2_t* error, void* text) -> herr_t {
    if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take, &complaint);
  return complaint.empty() ? "no reason given" : escaped(complaint);
}

}  // namespace lockstep
