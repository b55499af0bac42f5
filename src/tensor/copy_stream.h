#pragma once

#include "tensor/event.h"
#include "tensor/tensor.h"

namespace lockstep {

// Copies between a device and the host alongside the operations of the device's Backend, in the order of the calls. The
// CPU copies before it returns. Owned by the caller of Backend::make_copy_stream(); the Backend need not outlive it.
// One thread at a time, any thread. The destructor is local: it waits for the copies.
class CopyStream {
 public:
  virtual ~CopyStream() = default;

  virtual void wait(Event event) = 0;  // later copies start after event
  // REQUIRES: same dtype, same count; host memory of the Backend's host_allocator(), or the copy may take a detour.
  virtual void copy(const Tensor& from, const Tensor& to) = 0;
  virtual void synchronize() = 0;  // the host waits for all copies
  // Returns an event that passes when the copies so far are done; after kEvents more it stands for a later moment.
  static constexpr int kEvents = 16;
  virtual Event record() = 0;
};

}  // namespace lockstep
