#pragma once

#include <atomic>
#include <memory>

#include "support/gpu/fake_stream.h"
#include "tensor/cuda/gpu_runtime.h"

namespace lockstep {

// Holds up work that waits for its event, until it is opened.
class Gate {
 public:
  Gate() : stream_(create_stream()), event_(create_event()) {
    gpu_stand_in::submit(stream_, [open = open_] { open->wait(false); });
    record_event(event_, stream_);
  }
  ~Gate() {
    open();
    destroy_event(event_);
    destroy_stream(stream_);
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  Event event() const { return event_; }
  void open() {
    *open_ = true;
    open_->notify_all();
  }

 private:
  std::shared_ptr<std::atomic<bool>> open_ = std::make_shared<std::atomic<bool>>(false);
  GpuStream stream_;
  Event event_;
};

}  // namespace lockstep
