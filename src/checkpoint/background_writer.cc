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

// what: prefix of the variable's name in the message, "the moving average of ".
void check_finite(const std::string& what, const std::vector<float>& array, const StateLayout& layout,
                  std::int64_t step) {
  const auto wrong = std::ranges::find_if_not(array, [](float value) { return std::isfinite(value); });
  if (wrong == array.end()) return;
  throw Error(
      ExitCode::internal,
      fmt::format("{}{} is not finite (NaN or infinity) after step {}, which is not saved: the checkpoint before it "
                  "stays the newest; try a smaller learning_rate or a longer learning_rate_warmup_steps",
                  what, layout.table->owner_of(wrong - array.begin()).name, step));
}

// Checked here, as an update that overflows shows only in the loss of the next step, and no run could resume from it.
void check_finite(std::int64_t step, const StateLayout& layout, const StateArrays& arrays) {
  const auto check_slots = [&](const std::vector<std::vector<float>>& slots) {
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      check_finite(fmt::format("the optimizer's {} of ", layout.slots[slot]), slots[slot], layout, step);
    }
  };
  check_finite("", arrays.parameters, layout, step);
  check_finite("the moving average of ", arrays.average, layout, step);
  check_slots(arrays.slots);
  for (const auto& replica : arrays.replicas) check_slots(replica);
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

void BackgroundWriter::keep_best(const BestNote& note) {
  last_ = thread_.add(
      [job = job_, note] { job->folder.best().put(job->folder.path_of(note.step), note, job->before_rename); });
}

void BackgroundWriter::write(Job& job) {
  const Stopwatch watch;
  check_finite(job.header.step, job.layout, job.arrays);
  const EncodedCheckpoint image(job.header, job.layout, job.arrays);
  job.folder.add(job.header.step, image.bytes(), job.before_rename);
  job.written = {.step = job.header.step, .bytes = image.bytes().size(), .seconds = watch.seconds()};
}

bool BackgroundWriter::idle(std::chrono::milliseconds patience) { return thread_.wait_for(last_, patience); }

std::optional<BackgroundWriter::Written> BackgroundWriter::take_written() {
  return std::exchange(job_->written, std::nullopt);
}

}  // namespace lockstep
