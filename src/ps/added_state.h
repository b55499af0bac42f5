#pragma once

#include <cstdint>
#include <vector>

#include "collective/window.h"
#include "ps/server_state.h"

namespace lockstep {

// The ServerState of servers to whose values clients add their updates by themselves (ps/added_transfer.h): the values
// alone, once, in this rank's part of a window. The server, too, only adds to them and reads what was added, so that
// they are never accessed in two ways.
class AddedState final : public ServerState {
 public:
  // count: number of float32 values of the server's range, which are all of the rank's part. The window outlives it.
  AddedState(Window& window, std::int64_t count);

  // A copy of the values, read at this call.
  std::vector<Tensor> tensors() override;
  // Adds what tensors() were filled with to the window's zeros.
  void begin(std::int64_t optimizer_begun, std::int64_t average_begun) override;

  // Nobody is waited for: reads and updates may come at the same time.
  ValueCopies& readers() override { return readers_; }
  // The client has added the update before it told of it.
  void add(const Tensor& /*gradient*/, double /*factor*/, double /*weight*/) override {}
  void update(std::int64_t /*number*/, double /*factor*/) override {}

 private:
  Window& window_;
  std::vector<float> copy_;
  ValueCopies readers_{1};
};

}  // namespace lockstep
