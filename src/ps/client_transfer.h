#pragma once

#include "ps/message.h"
#include "tensor/tensor.h"

namespace lockstep {

// The client's side of moving values from servers to clients and gradients back (ps/server_transfer.h is the servers'
// side). Tensors are on the host, of PsGroup::wire_dtype; their memory is the caller's, and belongs to the transfer
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
  // Moves pushes on. Returns whether the memory of any pushed gradient must still stay as it is.
  virtual bool pushing() = 0;
};

}  // namespace lockstep
