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
// People remove the file, or an editor replaces it, while it is written: each line is preceded by a look whether the
// name is still this file's. One that is gone is made again, with all its lines; of one that was replaced, the new file
// gets the lines from then on. A warning says so.
class MetricsFile final : public MetricsSink {
 public:
  using Warn = std::function<void(const std::string& text)>;
  // Replaces an earlier run's file by what is kept of it, in one piece. Throws Error(cannot_write).
  // before_rename: as in replace_file, and before another file is written.
  MetricsFile(const std::string& path, std::string_view kept, std::function<void()> before_rename = {}, Warn warn = {});

  void write(const Json& line) override;
  // The look, for the end, when no line follows. Throws Error(cannot_write).
  void stay_in_place();

 private:
  void make_again();
  void go_on_in_the_new_one();
  void warn(const std::string& what);

  std::string path_;
  std::function<void()> before_rename_;
  Warn warn_;
  Descriptor file_;
  bool replaced_by_no_file_ = false;  // said already
};

// What metrics.jsonl of that folder says; "" if there is none, or none that can be read.
std::string read_metrics(const std::string& folder);

}  // namespace lockstep
