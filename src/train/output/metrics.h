#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/json.h"
#include "train/output/metrics_sink.h"

namespace lockstep {

inline constexpr std::string_view kMetricsFile = "metrics.jsonl";  // in an output_dir

// metrics.jsonl of an output_dir: a line each of kind start, train, eval, event or end. Written by the chief only, one
// write a line, so that a reader or a crash never sees half a line between two whole ones. Numbers have enough digits
// to read the same value back; one that is not finite is null.
//
// Users remove the file, or an editor replaces it, while it is being written, so each line is preceded by a check that
// the name is still this file's. A removed file is made again, with all its lines; if it was replaced, the new file
// gets the lines from then on. A warning says so.
class MetricsFile final : public MetricsSink {
 public:
  using Warn = std::function<void(const std::string& text)>;
  // Replaces an earlier run's file atomically by `kept`, the part of it that is kept. before_rename: called as by
  // replace_file(), and before lines go to another file. Throws Error(cannot_write), and what before_rename throws; so
  // does write().
  MetricsFile(const std::string& path, std::string_view kept, std::function<void()> before_rename = {}, Warn warn = {});

  void write(const Json& line) override;
  // Makes the check above for the end, when no line follows. Throws as write() does.
  void stay_in_place();

 private:
  void make_again();
  void go_on_in_the_new_one();
  void warn(const std::string& what);

  std::string path_;
  std::function<void()> before_rename_;
  Warn warn_;
  Descriptor file_;
  bool replaced_by_no_file_ = false;  // a warning has said that what stands in its place is not written
};

// The text of metrics.jsonl in that folder; "" if there is none, or it cannot be read.
std::string read_metrics(const std::string& folder);

}  // namespace lockstep
