#pragma once

#include "ps/message.h"
#include "tensor/tensor.h"

namespace lockstep {

// The way of values from the servers to a client and of gradients back: the client's side (ps/server_transfer.h is the
// other). Tensors are on the host, of PsGroup::wire_dtype; their memory is the caller's, and belongs to the transfer
// while it is reading() or pushing(). One thread.
class ClientTransfer {
 public:
  virtual ~ClientTransfer() = default;

  // Starts to read the values that a server has made ready. into: the part of its range.
  virtual void read(int server, const PsMessage& ready, const Tensor& into) = 0;
  // Returns whether a read is not done yet, and moves it on.
  virtual bool reading() = 0;

  // Starts to bring a gradient, of the whole store, into mailbox pushed.slot of every server, and tells it so by
  // `pushed`. While one is under way another one may be pushed, from other memory.
  virtual void push(const PsMessage& pushed, const Tensor& gradients) = 0;
  // Returns whether a gradient is not on its way yet so far that its memory may change, and moves it on.
  virtual bool pushing() = 0;
};

}  // namespace lockstep
