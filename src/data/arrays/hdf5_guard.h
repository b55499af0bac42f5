#pragma once

#include <memory>
#include <string>

namespace lockstep {

// The HDF5 library trusts a file's structure: a damaged or malicious file (a tree whose node is its own child) can make
// it loop forever or read outside its memory. While a guard lives, a crash of the library on this thread, or `seconds`
// of processor time used by this thread, ends the process with ExitCode::bad_data and one line on standard error that
// names the file, instead of SIGSEGV or an endless loop.
//
// A guard belongs to one thread; within another guard it does nothing. Previous handlers of SIGSEGV and SIGBUS get all
// other crashes.
class Hdf5Guard {
 public:
  // Far more than opening and listing the largest sound file takes. Values are read under kNoLimit.
  static constexpr int kStructureSeconds = 5;
  static constexpr int kNoLimit = 0;

  explicit Hdf5Guard(const std::string& path, int seconds = kStructureSeconds);
  ~Hdf5Guard();
  Hdf5Guard(const Hdf5Guard&) = delete;
  Hdf5Guard& operator=(const Hdf5Guard&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;  // null within another guard
};

}  // namespace lockstep
