#pragma once

#include <array>

#include "collective/communicator.h"
#include "collective/control_values.h"
#include "tensor/backend.h"

namespace lockstep {

// Sums the control values of a step over all shares of all ranks: one all-reduce of a cache line, before the first
// bucket of gradients, so that the weight to divide by is known before the first update. Sums are exact in any order,
// so they are the same for every number of ranks. If the backend is a device, the ranks exchange them as bytes on the
// host, so that no rank's host waits for a device. One thread. COLLECTIVE: the constructor, start() and finish().
// Communicator and Backend outlive it.
class ControlExchange {
 public:
  ControlExchange(Communicator& communicator, Backend& backend);

  // Begins a step. requests: this rank's, in addition to those of its shares.
  void begin(std::int64_t requests);
  void add(const ControlValues& share);
  // The sums over this rank's shares alone.
  ControlValues own() const { return ControlValues::decode(words_); }
  // To be called after the last share; a rank without shares adds nothing.
  void start();
  ControlValues finish();  // after start(): the sums over all ranks

 private:
  Tensor host() { return {words_.data(), DType::float32, {ControlValues::kWords}}; }

  void add_up_on_host();

  Communicator& communicator_;
  Backend& backend_;
  bool on_host_;   // sums are computed on the host
  Buffer memory_;  // memory of exchanged_; none if on_host_
  Tensor exchanged_;
  std::array<float, ControlValues::kWords> words_{};
  Ticket ticket_;
};

}  // namespace lockstep
