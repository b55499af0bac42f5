#include "base/capture_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <span>
#include <utility>

namespace lockstep {

CaptureFile::CaptureFile(const char* name) : file_(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  if (!file_.is_open()) return;
  std::string path = fmt::format("/proc/self/fd/{}", file_.number());
  if (open_descriptor(path, O_WRONLY).is_open()) path_ = std::move(path);
}

std::string CaptureFile::text() const {
  std::string text(kMostBytes, '\0');
  text.resize(read_fully(file_.number(), std::as_writable_bytes(std::span(text)), 0).bytes);
  return text;
}

void CaptureFile::seal() { ::fcntl(file_.number(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW); }

}  // namespace lockstep
