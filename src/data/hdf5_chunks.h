#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lockstep {

// Finds out, before HDF5 reads values of a data set, whether they are all there: that they were written, that chunks
// are packed in a way that can be checked, and that each unpacks to exactly its size (data/packed_chunk.h). Each chunk
// is looked at once, where it is first asked for: that costs a second reading and unpacking of it.
//
// Faults are given as what to say of the data set: "it is packed by ...", without its name, with the cure.
// Any threads may call at once.
class Hdf5Chunks {
 public:
  // An open data set, which outlives this. REQUIRES: its values do not lie in other files (no virtual layout), and it
  // was opened without a cache of chunks, so that chunks that are not packed are read by their own size, whatever size
  // the file notes of them.
  explicit Hdf5Chunks(std::int64_t data_set);
  ~Hdf5Chunks();
  Hdf5Chunks(const Hdf5Chunks&) = delete;
  Hdf5Chunks& operator=(const Hdf5Chunks&) = delete;

  std::int64_t rows() const;  // along the first axis; 0 of a single number

  // What is wrong with how the data set is stored. Reads the index of its chunks, none of them.
  std::optional<std::string> fault() const;

  // What is wrong with the chunks that hold the rows [first, first + count) of the first axis.
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
  std::vector<bool> sound_;  // by the chunk's place along the first axis: nothing was wrong there (guarded by mutex_)
};

// All of it: what is wrong with a data set that is about to be read as a whole. REQUIRES: as the class.
std::optional<std::string> check_chunks(std::int64_t data_set);

}  // namespace lockstep
