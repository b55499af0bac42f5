#include "train/output/metrics.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <span>

#include "base/durable_file.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/resource_limits.h"
#include "train/output/append_record.h"

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

std::string read_metrics(const std::string& folder) {
  try {
    std::optional<InputFile> file = InputFile::if_there((std::filesystem::path(folder) / kMetricsFile).string());
    return file ? file->read_all() : "";
  } catch (const Error& error) {
    if (error.code() != ExitCode::missing_input && error.code() != ExitCode::bad_data) throw;
    return "";
  }
}

void MetricsFile::write(const Json& line) {
  const std::string text = line.text(Json::Form::readable) + "\n";
  append_record(file_, path_, std::as_bytes(std::span(text)));
}

}  // namespace lockstep
