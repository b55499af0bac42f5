#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lockstep {

// One way to make a checkpoint that no run has written: changes an HDF5 file that is open for writing, a good
// checkpoint without its seal. Every form has to be refused (65, 66 or 78) when a run resumes from it.
struct HostileForm {
  std::string name;  // "optimizer/m/linear_0/bias: truncated gzip"
  std::function<void(std::int64_t file)> change;
  bool oldest_format = false;                      // rewrite the file first, in the format without checksums
  std::function<void(std::string& bytes)> edit{};  // edits the bytes of the closed file
};

// Targets outside the file: a folder with files that links may refer to.
struct HostileSurroundings {
  std::string good_copy;  // another good checkpoint
  std::string pipe;       // a named pipe without a writer
};

// Returns the forms of a good file, derived from its content: links in place of groups and data sets, extra or missing
// members, types, extents, storage and chunks of data sets, values and types of attributes. The file is of a run with
// Adam and a moving average. The same file gives the same forms.
std::vector<HostileForm> hostile_forms(const std::string& good, const HostileSurroundings& around);

// Makes a form: a copy of a good checkpoint without its seal, changed, and sealed again.
void make_hostile(const std::string& good, const HostileForm& form, const std::string& path);

// Parts from which the forms are made.
struct CheckpointObject {
  std::string path;
  bool is_group;
};
void add_link_forms(const CheckpointObject& object, const HostileSurroundings& around, std::vector<HostileForm>& forms);
void add_data_set_forms(const std::string& path, std::vector<HostileForm>& forms);
void add_chunk_forms(const std::string& path, std::vector<HostileForm>& forms);
void add_attribute_forms(std::vector<HostileForm>& forms);

}  // namespace lockstep
