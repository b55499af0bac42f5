#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace lockstep {

// One JSON object on one line, field by field. Numbers are written so that reading them back gives the same value.
class JsonLine {
 public:
  explicit JsonLine(std::string_view kind);
  JsonLine& add(std::string_view field, double value);
  JsonLine& add(std::string_view field, std::int64_t value);
  JsonLine& add(std::string_view field, std::string_view value);
  JsonLine& add(std::string_view field, const char* value) { return add(field, std::string_view(value)); }
  JsonLine& add(std::string_view field, bool value);
  std::string text() const { return text_ + "}"; }

 private:
  void name(std::string_view field);
  std::string text_;
};

// metrics.jsonl of an output_dir: a line each of kind train, eval, event or end. Written by the chief only, one write a
// line, so that a reader or a crash never sees half a line between two whole ones.
class MetricsFile {
 public:
  // Replaces an earlier run's file by what is kept of it, in one piece. Throws Error(cannot_write).
  // before_rename: as in replace_file.
  MetricsFile(const std::string& path, std::string_view kept, const std::function<void()>& before_rename = {});
  ~MetricsFile();
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  // Throws Error(cannot_write).
  void write(const JsonLine& line);

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace lockstep
