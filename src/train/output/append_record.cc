#include "train/output/append_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"
#include "base/resource_limits.h"

namespace lockstep {

Descriptor open_to_append(const std::string& path) {
  Descriptor file = open_descriptor(path, O_RDWR | O_APPEND);
  if (const int error = errno; !file.is_open()) {
    throw Error(code_of_failure(error, ExitCode::cannot_write),
                fmt::format("cannot write {}: {}", path, failure_text(error, "give another --output_dir")));
  }
  return file;
}

void append_record(const Descriptor& file, const std::string& path, std::span<const std::byte> record) {
  const Transfer written = write_fully(file.number(), record);
  if (written.error == 0) return;
  // A part of a record would spoil the next one: cut it off again. If that fails too, the message below still reports
  // it.
  const off_t end = ::lseek(file.number(), 0, SEEK_END);
  const auto part = static_cast<off_t>(written.bytes);
  [[maybe_unused]] const int cut = part > 0 ? ::ftruncate(file.number(), end - part) : 0;
  throw Error(ExitCode::cannot_write, fmt::format("cannot write {}: {}; make room on that disk and start again", path,
                                                  system_message(written.error)));
}

}  // namespace lockstep
