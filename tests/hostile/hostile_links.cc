#include <hdf5.h>

#include "data/arrays/hdf5_handle.h"
#include "hostile/hostile_forms.h"

namespace lockstep {
namespace {

void remove(hid_t file, const std::string& path) { H5Ldelete(file, path.c_str(), H5P_DEFAULT); }

void put_group(hid_t file, const std::string& path) {
  H5Gclose(H5Gcreate2(file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

void put_number(hid_t file, const std::string& path) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle made(
      H5Dcreate2(file, path.c_str(), H5T_IEEE_F32LE, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  const float value = 1;
  H5Dwrite(made.id(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
}

void put_committed_type(hid_t file, const std::string& path) {
  const Hdf5Handle type(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
  H5Tcommit2(file, path.c_str(), type.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

void put_soft(hid_t file, const std::string& path, const std::string& target) {
  H5Lcreate_soft(target.c_str(), file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT);
}

void put_external(hid_t file, const std::string& path, const std::string& other_file) {
  H5Lcreate_external(other_file.c_str(), ("/" + path).c_str(), file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT);
}

// Makes nested groups.
void put_nest(hid_t file, const std::string& path, int depth) {
  hid_t group = H5Gcreate2(file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  for (int level = 0; level < depth; ++level) {
    const hid_t inner = H5Gcreate2(group, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(group);
    group = inner;
  }
  H5Gclose(group);
}

void add_replaced(const CheckpointObject& object, const HostileSurroundings& around, std::vector<HostileForm>& forms) {
  const std::string& path = object.path;
  const auto add = [&](const std::string& what, std::function<void(hid_t)> put) {
    forms.push_back({path + ": " + what, [path, put = std::move(put)](hid_t file) {
                       remove(file, path);
                       put(file);
                     }});
  };
  // A checkpoint without its optimizer is valid: it holds another program's weights.
  if (path != "optimizer") add("missing", [](hid_t) {});
  add("soft link to itself", [path](hid_t file) { put_soft(file, path, "/" + path); });
  add("soft link to nothing", [path](hid_t file) { put_soft(file, path, "/nowhere"); });
  add("soft link to the root", [path](hid_t file) { put_soft(file, path, "/"); });
  add("external link", [path, good = around.good_copy](hid_t file) { put_external(file, path, good); });
  add("external link to nothing", [path](hid_t file) { put_external(file, path, "/nowhere.h5"); });
  add("external link to a pipe", [path, pipe = around.pipe](hid_t file) { put_external(file, path, pipe); });
  add("committed type", [path](hid_t file) { put_committed_type(file, path); });
  if (object.is_group) {
    add("data set", [path](hid_t file) { put_number(file, path); });
  } else {
    add("group", [path](hid_t file) { put_group(file, path); });
  }
}

void add_members(const std::string& group, std::vector<HostileForm>& forms) {
  const auto add = [&](const std::string& what, std::function<void(hid_t)> put) {
    forms.push_back({group + ": " + what, std::move(put)});
  };
  add("another data set", [group](hid_t file) { put_number(file, group + "/zz"); });
  add("an empty group", [group](hid_t file) { put_group(file, group + "/zz"); });
  add("a committed type within", [group](hid_t file) { put_committed_type(file, group + "/zz"); });
  add("a dangling link within", [group](hid_t file) { put_soft(file, group + "/zz", "/nowhere"); });
  add("the root within",
      [group](hid_t file) { H5Lcreate_hard(file, "/", file, (group + "/loop").c_str(), H5P_DEFAULT, H5P_DEFAULT); });
  add("itself within", [group](hid_t file) {
    H5Lcreate_hard(file, ("/" + group).c_str(), file, (group + "/loop").c_str(), H5P_DEFAULT, H5P_DEFAULT);
  });
  add("40 groups deep", [group](hid_t file) { put_nest(file, group + "/deep", 40); });
  add("a name with an escape", [group](hid_t file) { put_number(file, group + "/\x1b[31mred"); });
  add("a name of 20000 letters", [group](hid_t file) { put_number(file, group + "/" + std::string(20000, 'a')); });
}

}  // namespace

void add_link_forms(const CheckpointObject& object, const HostileSurroundings& around,
                    std::vector<HostileForm>& forms) {
  add_replaced(object, around, forms);
  const std::string& path = object.path;
  forms.push_back({path + ": two names", [path](hid_t file) {
                     H5Lcreate_hard(file, path.c_str(), file, (path + "_too").c_str(), H5P_DEFAULT, H5P_DEFAULT);
                   }});
  forms.push_back({path + ": another name", [path](hid_t file) {
                     H5Lmove(file, path.c_str(), file, (path + "_too").c_str(), H5P_DEFAULT, H5P_DEFAULT);
                   }});
  if (object.is_group) add_members(path, forms);
  if (path != "parameters") return;
  forms.push_back({"parameters: 3000 groups deep", [](hid_t file) { put_nest(file, "parameters/deep", 3000); }});
  forms.push_back({"a group in the root", [](hid_t file) { put_nest(file, "more", 1); }});
  forms.push_back({"a data set in the root", [](hid_t file) { put_number(file, "more"); }});
  forms.push_back({"a group of 5000 links", [](hid_t file) {
                     put_group(file, "parameters/many");
                     for (int i = 0; i < 5000; ++i) put_soft(file, "parameters/many/" + std::to_string(i), "/nowhere");
                   }});
}

}  // namespace lockstep
