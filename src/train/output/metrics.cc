#include "train/output/metrics.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <span>

#include "base/durable_file.h"
#include "base/error.h"
#include "base/resource_limits.h"

namespace lockstep {

MetricsFile::MetricsFile(const std::string& path, std::string_view kept, const std::function<void()>& before_rename)
    : path_(path) {
  replace_file(path, std::as_bytes(std::span(kept)), before_rename);
  file_ = open_descriptor(path, O_WRONLY | O_APPEND);
  if (const int error = errno; !file_.is_open()) {
    throw Error(code_of_failure(error, ExitCode::cannot_write),
                fmt::format("cannot write {}: {}", path, failure_text(error, "give another --output_dir")));
  }
}

void MetricsFile::write(const Json& line) {
  const std::string text = line.text(Json::Form::readable) + "\n";
  const Transfer written = write_fully(file_.number(), std::as_bytes(std::span(text)));
  if (written.error == 0) return;
  // A part of a line would spoil the next one: cut it off again. If that fails too, the message below still reports it.
  const off_t end = ::lseek(file_.number(), 0, SEEK_END);
  const auto part = static_cast<off_t>(written.bytes);
  [[maybe_unused]] const int cut = part > 0 ? ::ftruncate(file_.number(), end - part) : 0;
  throw Error(ExitCode::cannot_write, fmt::format("cannot write {}: {}; make room on that disk and start again", path_,
                                                  system_message(written.error)));
}

}  // namespace lockstep
