#include "data/device_batches.h"

#include "base/error.h"

namespace lockstep {

DeviceBatches::DeviceBatches(BatchSource& host, Backend& backend)
    : host_(host),
      backend_(backend),
      stream_(backend.make_copy_stream()),
      copies_{Copy{DeviceBatch(backend)}, Copy{DeviceBatch(backend)}} {}

const Batch& DeviceBatches::next() {
  LS_CHECK(!held_, "a batch is held");
  release_copied();
  if (copied_ == given_) copy_next();
  backend_.wait(arrival(given_));
  const Batch& batch = copy(given_).batch.batch();
  ++given_;
  held_ = true;
  if (host_.is_ready()) copy_next();
  return batch;
}

void DeviceBatches::release() {
  LS_CHECK(held_, "no batch is held");
  copy(given_ - 1).used = backend_.record();
  held_ = false;
}

void DeviceBatches::copy_next() {
  Copy& into = copy(copied_);
  stream_->wait(into.used);
  into.batch.start(host_.next(), *stream_);
  arrival(copied_) = stream_->record();
  ++copied_;
}

// Releases all but the last batch given: its copy is the only one that the device may not have reached yet.
void DeviceBatches::release_copied() {
  for (; released_ < given_ - 1; ++released_) {
    backend_.wait_on_host(arrival(released_));
    host_.release();
  }
}

}  // namespace lockstep
