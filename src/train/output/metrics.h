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
class MetricsFile final : public MetricsSink {
 public:
  // Replaces an earlier run's file by what is kept of it, in one piece. Throws Error(cannot_write).
  // before_rename: as in replace_file.
  MetricsFile(const std::string& path, std::string_view kept, const std::function<void()>& before_rename = {});

  void write(const Json& line) override;

 private:
  std::string path_;
  Descriptor file_;
};

// What metrics.jsonl of that folder says; "" if there is none, or none that can be read.
std::string read_metrics(const std::string& folder);

}  // namespace lockstep
