#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/descriptor.h"
#include "base/json.h"
#include "train/output/events/histogram.h"
#include "train/output/metrics_sink.h"

namespace lockstep {

struct TaggedHistogram {
  std::string tag;  // name in TensorBoard
  Histogram histogram;
};

// A run's file for TensorBoard: the numbers of train lines as scalars under their names in metrics.jsonl ("loss"),
// those of eval lines under "SPLIT/NAME" ("test/loss"), rounded to float32, and a start line as a text; besides,
// histograms. Each start writes a file of its own into the folder, since files of earlier ones may be open in a running
// TensorBoard. Each record is one write. One thread at a time.
class EventFile final : public MetricsSink {
 public:
  // Makes a new file in the folder. first_step: data of this step and later ones in earlier files no longer count.
  // Throws Error(cannot_write).
  EventFile(const std::string& folder, std::int64_t first_step);

  void write(const Json& line) override;
  // Writes the histograms of a step, all in one record. Throws Error(cannot_write).
  void write(std::int64_t step, std::span<const TaggedHistogram> histograms);

 private:
  std::string path_;
  Descriptor file_;
};

}  // namespace lockstep
