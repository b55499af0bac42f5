#include "scratch_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"

namespace lockstep {

ScratchFile::ScratchFile()
    : path_((std::filesystem::temp_directory_path() / "lockstep_fuzz_XXXXXX").string()),
      descriptor_(::mkostemp(path_.data(), 0)) {
  LS_CHECK(descriptor_ >= 0, "no file could be made in the temporary folder");
}

ScratchFile::~ScratchFile() {
  ::close(descriptor_);
  ::unlink(path_.c_str());
}

void ScratchFile::replace(std::span<const std::byte> bytes) {
  LS_CHECK(::ftruncate(descriptor_, 0) == 0, "the scratch file could not be emptied");
  LS_CHECK(::pwrite(descriptor_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
           "the scratch file could not be written");
}

std::vector<std::byte> ScratchFile::bytes() const {
  struct stat status {};
  LS_CHECK(::fstat(descriptor_, &status) == 0, "the scratch file has no size");
  std::vector<std::byte> bytes(static_cast<std::size_t>(status.st_size));
  LS_CHECK(::pread(descriptor_, bytes.data(), bytes.size(), 0) == status.st_size, "the scratch file could not be read");
  return bytes;
}

}  // namespace lockstep
