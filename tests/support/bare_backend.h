#pragma once

#include "tensor/backend.h"

namespace lockstep {

// A backend with only the methods that every backend must have.
class BareBackend : public Backend {
 public:
  explicit BareBackend(Device device = {}) : device_(device) {}
  Device device() const override { return device_; }
  Allocator& allocator() override { return allocator_; }
  Allocator& host_allocator() override { return allocator_; }
  Event record() override { return {}; }
  void wait(Event /*event*/) override {}
  void synchronize() override {}

 private:
  Device device_;
  HostAllocator allocator_;
};

}  // namespace lockstep
