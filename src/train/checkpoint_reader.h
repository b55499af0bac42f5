#pragma once

#include <memory>
#include <string>

#include "train/checkpoint.h"

namespace lockstep {

// A checkpoint file, open for reading. One thread at a time. Every error names the file.
//
// The constructor looks at the seal over the whole file before HDF5 sees a byte of it: a file that was cut off or in
// which a byte has changed is refused there. Throws Error: missing_input if there is no such file, bad_data if it is
// damaged, unsealed or not a checkpoint, configuration if a newer version of Lockstep wrote it.
class CheckpointReader {
 public:
  explicit CheckpointReader(const std::string& path);
  ~CheckpointReader();
  CheckpointReader(const CheckpointReader&) = delete;
  CheckpointReader& operator=(const CheckpointReader&) = delete;

  const CheckpointHeader& header() const { return header_; }
  int replicas() const { return replicas_; }  // whose optimizer state it holds one by one; 0: none

  // The arrays that layout asks for. With layout.replicas == 0 the optimizer's slots are those of all replicas, or
  // the mean of the replicas' if they were saved one by one; else layout.replicas == replicas() is REQUIRED.
  // Throws Error(configuration) that names the first variable, slot or shape that the model and the file do not share:
  // a checkpoint of another model.
  StateArrays read(const StateLayout& layout) const;

 private:
  struct File;  // HDF5's
  std::string path_;
  std::unique_ptr<File> file_;
  CheckpointHeader header_;
  int replicas_ = 0;
};

}  // namespace lockstep
