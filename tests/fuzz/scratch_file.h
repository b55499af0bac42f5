#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace lockstep {

// A file in the temporary folder, for readers that take a path: one file for all inputs, gone when the process ends.
// One thread at a time.
class ScratchFile {
 public:
  ScratchFile();  // empty
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  void replace(std::span<const std::byte> bytes);
  std::vector<std::byte> bytes() const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int descriptor_;
};

}  // namespace lockstep
