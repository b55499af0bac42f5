#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "support/temporary_folder.h"

namespace lockstep {

// Returns what work writes to the process's stderr.
template <class Work>
std::string stderr_of(const Work& work) {
  const TemporaryFolder folder;
  const auto path = folder / "stderr";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND, 0600);
  const int kept = ::dup(STDERR_FILENO);
  REQUIRE(file >= 0);
  REQUIRE(kept >= 0);
  ::dup2(file, STDERR_FILENO);
  work();
  ::dup2(kept, STDERR_FILENO);
  ::close(kept);
  ::close(file);
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace lockstep
