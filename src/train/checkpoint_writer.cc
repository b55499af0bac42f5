#include "train/checkpoint_writer.h"

#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "train/checkpoint_image.h"

namespace lockstep {

CheckpointWriter::CheckpointWriter(const CheckpointFolder& folder, StateLayout layout,
                                   std::function<void()> before_rename)
    : job_(std::make_shared<Job>(folder, std::move(layout), std::move(before_rename))) {}

void CheckpointWriter::write(const CheckpointHeader& header) {
  LS_CHECK(idle({}), "a checkpoint is being written still");
  job_->header = header;
  last_ = thread_.add([job = job_] { write(*job); });
}

void CheckpointWriter::write(Job& job) {
  const Stopwatch watch;
  const CheckpointImage image(job.header, job.layout, job.arrays);
  job.folder.add(job.header.step, image.bytes(), job.before_rename);
  job.written = {.step = job.header.step, .bytes = image.bytes().size(), .seconds = watch.seconds()};
}

bool CheckpointWriter::idle(std::chrono::milliseconds patience) { return thread_.wait_for(last_, patience); }

std::optional<CheckpointWriter::Written> CheckpointWriter::take_written() {
  return std::exchange(job_->written, std::nullopt);
}

}  // namespace lockstep
