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
// The constructor looks at the seal over the whole file before HDF5 sees a byte of it: a file that was cut off or in
// which a byte has changed is refused there. Throws Error: missing_input if there is no such file, bad_data if it is
// damaged, unsealed or not a checkpoint, configuration if a newer version of Lockstep wrote it.
class CheckpointDecoder {
 public:
  explicit CheckpointDecoder(const std::string& path);
  ~CheckpointDecoder();
  CheckpointDecoder(const CheckpointDecoder&) = delete;
  CheckpointDecoder& operator=(const CheckpointDecoder&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t checksum() const { return checksum_; }  // its seal's
  const CheckpointHeader& header() const { return header_; }
  int replicas() const { return replicas_; }  // whose optimizer state it holds one by one; 0: none
  const std::vector<std::string>& slots() const { return slots_; }  // of the optimizer, by name
  bool has_average() const;
  std::string written_by() const;     // the version of Lockstep; "" if it does not say
  StoredVariables variables() const;  // of its parameters
  // Whether its parameters are the variables of the table, by name and shape: those of another model cannot be read.
  bool has_variables_of(const ParameterTable& table) const;

  // The arrays that layout asks for; of what else the file has the names and shapes are looked at, not the values. With
  // layout.replicas == 0 the optimizer's slots are those of all replicas, or the mean of the replicas' if they were
  // saved one by one; else layout.replicas == replicas() is REQUIRED.
  // Throws Error(configuration) that names the variables that the model and the file do not share, or the slot or
  // average that the file lacks: a checkpoint of another model or optimizer. Error(bad_data) if it lacks anything else,
  // has groups of other variables, slots that layout.slots (unless that is empty) does not know, or numbers that no run
  // can have saved: NaN, infinity, numbers below 0 in layout.non_negative, and 0 or less in a positive constant.
  StateArrays read(const StateLayout& layout) const;

  // The parameters that the table names, laid out as it says. The file may have others. REQUIRES: variables() has them,
  // in these shapes. Throws Error(bad_data) as read() does.
  std::vector<float> read_parameters(const ParameterTable& table) const;

 private:
  void check_model(const StateLayout& layout) const;
  void check_state(const StateLayout& layout) const;
  void check_group(const std::string& group, const ParameterTable& table) const;
  void check_groups(const ParameterTable& table) const;  // of all that are there, read or not
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

// Throws Error(bad_data) unless the file is of the step that its name says: under another one's, a run would be set
// aside, or evaluated again and again.
void check_step(const CheckpointDecoder& reader, std::int64_t named);

}  // namespace lockstep
