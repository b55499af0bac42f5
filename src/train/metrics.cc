#include "train/metrics.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <span>

#include "base/durable_file.h"
#include "base/error.h"

namespace lockstep {
namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

}  // namespace

JsonLine::JsonLine(std::string_view kind) : text_("{\"kind\": " + quoted(kind)) {}

void JsonLine::name(std::string_view field) { text_ += ", " + quoted(field) + ": "; }

JsonLine& JsonLine::add(std::string_view field, double value) {
  name(field);
  text_ += std::isfinite(value) ? fmt::format("{}", value) : "null";  // JSON has no NaN
  return *this;
}

JsonLine& JsonLine::add(std::string_view field, std::int64_t value) {
  name(field);
  text_ += fmt::format("{}", value);
  return *this;
}

JsonLine& JsonLine::add(std::string_view field, std::string_view value) {
  name(field);
  text_ += quoted(value);
  return *this;
}

JsonLine& JsonLine::add(std::string_view field, bool value) {
  name(field);
  text_ += value ? "true" : "false";
  return *this;
}

MetricsFile::MetricsFile(const std::string& path, std::string_view kept, const std::function<void()>& before_rename)
    : path_(path) {
  replace_file(path, std::as_bytes(std::span(kept)), before_rename);
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor < 0) {
    throw Error(ExitCode::cannot_write,
                fmt::format("cannot write {}: {}; give another --output_dir", path, std::strerror(errno)));
  }
  descriptor_ = descriptor;
}

MetricsFile::~MetricsFile() { ::close(descriptor_); }

void MetricsFile::write(const JsonLine& line) {
  const std::string text = line.text() + "\n";
  const ssize_t written = ::write(descriptor_, text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return;
  const std::string why = written < 0 ? std::strerror(errno) : "the disk is full";
  // A part of a line would spoil the next one: cut it off again. If that fails too, the message below still tells.
  const off_t end = ::lseek(descriptor_, 0, SEEK_END);
  [[maybe_unused]] const int cut = written > 0 ? ::ftruncate(descriptor_, end - written) : 0;
  throw Error(ExitCode::cannot_write,
              fmt::format("cannot write {}: {}; make room on that disk and start again", path_, why));
}

}  // namespace lockstep
