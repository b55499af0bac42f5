#pragma once

#include <memory>
#include <string>

namespace lockstep {

// The HDF5 library follows what a file says of itself, and can be led in circles or out of its memory by one that was
// damaged, or made so (a tree whose node is its own child). While a guard lives, that ends the process with
// ExitCode::bad_data and one line on standard error that names the file, instead of SIGSEGV or no end at all: when
// the library crashes on this thread, and when this thread has used `seconds` of processor time.
//
// One thread's; within another one it does nothing. Whoever handled SIGSEGV and SIGBUS before keeps all others.
class Hdf5Guard {
 public:
  // What opening and listing the largest sound file takes is a small part of it. Values are read under kNoLimit.
  static constexpr int kStructureSeconds = 5;
  static constexpr int kNoLimit = 0;

  explicit Hdf5Guard(const std::string& path, int seconds = kStructureSeconds);
  ~Hdf5Guard();
  Hdf5Guard(const Hdf5Guard&) = delete;
  Hdf5Guard& operator=(const Hdf5Guard&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;  // none within another guard
};

}  // namespace lockstep
