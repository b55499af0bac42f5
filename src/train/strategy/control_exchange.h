#pragma once

#include <array>

#include "collective/communicator.h"
#include "collective/control_values.h"
#include "tensor/backend.h"

namespace lockstep {

// The control values of a step, of all shares of all ranks: one all-reduce of a cache line, before the first bucket of
// gradients, so that the weight to divide by is known before the first update. Sums are exact in any order, so they are
// the same for every number of ranks. On a device the ranks exchange them as bytes, on the host: no rank's host waits
// for a device then. One thread. COLLECTIVE: the constructor, start() and finish(). Communicator and
// Backend outlive it.
class ControlExchange {
 public:
  ControlExchange(Communicator& communicator, Backend& backend);

  // requests: this rank's, beside those of its shares.
  void begin(std::int64_t requests);
  void add(const ControlValues& share);
  // The sums over this rank's shares alone.
  ControlValues own() const { return ControlValues::decode(words_); }
  // After the last share; a rank without shares adds nothing.
  void start();
  ControlValues finish();  // after start(): the sums over all ranks

 private:
  Tensor host() { return {words_.data(), DType::float32, {ControlValues::kWords}}; }

  void add_up_on_host();

  Communicator& communicator_;
  Backend& backend_;
  bool on_host_;   // summed there
  Buffer memory_;  // in the other case
  Tensor exchanged_;
  std::array<float, ControlValues::kWords> words_{};
  Ticket ticket_;
};

}  // namespace lockstep
