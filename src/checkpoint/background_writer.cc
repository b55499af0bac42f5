#include "checkpoint/background_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "checkpoint/encoder.h"

namespace lockstep {
namespace {

// An update that overflows shows in the loss of the next step only. A run could never resume from such a state.
void check_finite(const CheckpointHeader& header, const StateLayout& layout, const StateArrays& arrays) {
  const auto wrong = std::ranges::find_if_not(arrays.parameters, [](float value) { return std::isfinite(value); });
  if (wrong == arrays.parameters.end()) return;
  throw Error(
      ExitCode::internal,
      fmt::format("{} is not finite (NaN or infinity) after step {}, which is not saved: the checkpoint before it "
                  "stays the newest; try a smaller learning_rate or a longer learning_rate_warmup_steps",
                  layout.table->owner_of(wrong - arrays.parameters.begin()).name, header.step));
}

}  // namespace

BackgroundWriter::BackgroundWriter(const CheckpointDirectory& folder, StateLayout layout,
                                   std::function<void()> before_rename)
    : job_(std::make_shared<Job>(folder, std::move(layout), std::move(before_rename))) {}

void BackgroundWriter::write(const CheckpointHeader& header) {
  LS_CHECK(idle({}), "a checkpoint is being written still");
  job_->header = header;
  last_ = thread_.add([job = job_] { write(*job); });
}

void BackgroundWriter::write(Job& job) {
  const Stopwatch watch;
  check_finite(job.header, job.layout, job.arrays);
  const EncodedCheckpoint image(job.header, job.layout, job.arrays);
  job.folder.add(job.header.step, image.bytes(), job.before_rename);
  job.written = {.step = job.header.step, .bytes = image.bytes().size(), .seconds = watch.seconds()};
}

bool BackgroundWriter::idle(std::chrono::milliseconds patience) { return thread_.wait_for(last_, patience); }

std::optional<BackgroundWriter::Written> BackgroundWriter::take_written() {
  return std::exchange(job_->written, std::nullopt);
}

}  // namespace lockstep
