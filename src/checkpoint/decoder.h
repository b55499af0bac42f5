#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "checkpoint/state.h"
#include "checkpoint/variable_match.h"

namespace lockstep {

class CheckpointHdf5Reader;

// A checkpoint file, open for reading. One thread at a time. Every error names the file.
//
// The constructor verifies the seal over the whole file before HDF5 sees a byte of it: a file that was cut off or in
// which a byte has changed is refused there. Throws Error: missing_input if there is no such file, bad_data if it is
// damaged, unsealed or not a checkpoint, configuration if a newer version of Lockstep wrote it.
class CheckpointDecoder {
 public:
  explicit CheckpointDecoder(const std::string& path);
  ~CheckpointDecoder();
  CheckpointDecoder(const CheckpointDecoder&) = delete;
  CheckpointDecoder& operator=(const CheckpointDecoder&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t checksum() const { return checksum_; }  // the seal's
  const CheckpointHeader& header() const { return header_; }
  int replicas() const { return replicas_; }  // those with an optimizer state of their own; 0: none
  const std::vector<std::string>& slots() const { return slots_; }  // names of the optimizer's slots
  bool has_average() const;
  std::string written_by() const;     // version of Lockstep; "" if unknown
  StoredVariables variables() const;  // its parameters, by name
  // Returns whether its parameters are the table's variables, by name and shape. If not, read() throws.
  bool has_variables_of(const ParameterTable& table) const;

  // Reads the arrays that layout asks for; of the other arrays it checks names and shapes, not values. With
  // layout.replicas == 0 the optimizer's slots are the one set that all replicas share, or the mean of the replicas'
  // sets if these were saved one by one. REQUIRES otherwise: layout.replicas == replicas(). Throws Error(configuration)
  // for a checkpoint of another model or optimizer: it names the first variables that differ, or the slot or average
  // that the file lacks. Throws Error(bad_data) if the file lacks anything else, if a group has other variables, if
  // layout.slots is not empty and lacks a slot of the file, and for numbers that no run can have saved: NaN, infinity,
  // below 0 in a slot of layout.non_negative, or 0 or less where Variable::positive.
  StateArrays read(const StateLayout& layout) const;

  // Reads the parameters that the table names, laid out as it says. The file may have others. REQUIRES: variables() has
  // them, in these shapes. Throws Error(bad_data) as read() does.
  std::vector<float> read_parameters(const ParameterTable& table) const;

 private:
  void check_model(const StateLayout& layout) const;
  void check_state(const StateLayout& layout) const;
  void check_group(const std::string& group, const ParameterTable& table) const;
  void check_groups(const ParameterTable& table) const;  // all groups of the file, read or not
  std::vector<float> read_group(const std::string& group, const ParameterTable& table) const;
  std::vector<float> read_weights(const std::string& group, const ParameterTable& table) const;
  std::vector<float> read_slot(const std::string& group, const std::string& slot, const StateLayout& layout) const;

  std::string path_;
  std::uint64_t checksum_;
  std::unique_ptr<CheckpointHdf5Reader> file_;
  CheckpointHeader header_;
  int replicas_ = 0;
  std::vector<std::string> slots_;
};

// Throws Error(bad_data) unless the file's step is `named`, the one in its name: a run that resumes from a misnamed
// file would set it aside, and one that evaluates would do so again and again.
void check_step(const CheckpointDecoder& reader, std::int64_t named);

}  // namespace lockstep
