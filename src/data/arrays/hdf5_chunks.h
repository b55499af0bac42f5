#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lockstep {

// Checks, before HDF5 reads values of a data set, that they are all there: that they were written, that chunks are
// packed in a way that can be checked, and that each unpacks to exactly its size (data/arrays/packed_chunk.h). Each
// packed chunk is checked once, when it is first needed, which costs a second reading and unpacking of it.
//
// A fault is a phrase about the data set, with the cure but without the data set's name: "it is packed by ...". Any
// threads may call at once.
class Hdf5Chunks {
 public:
  // data_set: an open one, which outlives this. REQUIRES: its values do not lie in other files (no virtual layout), and
  // it was opened without a cache of chunks, so that unpacked chunks are read by their own size, whatever size the file
  // states for them.
  explicit Hdf5Chunks(std::int64_t data_set);
  ~Hdf5Chunks();
  Hdf5Chunks(const Hdf5Chunks&) = delete;
  Hdf5Chunks& operator=(const Hdf5Chunks&) = delete;

  std::int64_t rows() const;  // along the first axis; 0 for a scalar

  // The fault in how the data set is stored, none if it is sound. Reads the index of its chunks, but no chunk.
  std::optional<std::string> fault() const;

  // The fault of the chunks that hold the rows [first, first + count) of the first axis, none if they are sound.
  // REQUIRES: fault() found nothing.
  std::optional<std::string> fault_in_rows(std::int64_t first, std::int64_t count);

 private:
  struct Form;
  std::optional<std::string> fault_in_row_of_chunks(std::uint64_t row, std::vector<std::byte>& scratch) const;
  bool is_sound(std::uint64_t row);
  void set_sound(std::uint64_t row);

  std::int64_t data_set_;
  std::unique_ptr<const Form> form_;
  std::mutex mutex_;
  std::vector<bool> sound_;  // places along the first axis whose chunks have no fault (guarded by mutex_)
};

// The fault of a data set that is about to be read as a whole, none if it is sound. REQUIRES: as Hdf5Chunks() does.
std::optional<std::string> check_chunks(std::int64_t data_set);

}  // namespace lockstep
