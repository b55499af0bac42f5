#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tensor/tensor.h"

namespace lockstep {

// The way of values from a server to its clients and of gradients back: the server's side (ps/client_transfer.h is the
// other). Gives the memory for both, so that it can be memory that clients reach. Nothing waits. One thread.
class ServerTransfer {
 public:
  struct Gradient {
    int client = 0;
    int slot = 0;
  };

  virtual ~ServerTransfer() = default;

  // Memory for the copies of the values, and the mailboxes for gradients, two of each client; all are as long as the
  // server's range, of PsGroup::wire_dtype, and belong to the transfer.
  virtual std::vector<Tensor> copies() const = 0;
  virtual Tensor mailbox(int client, int slot) const = 0;

  // A client has said that it pushes, or has pushed, into this mailbox.
  virtual void pushed(Gradient gradient) = 0;
  // The next gradient that is whole, once; those of one client in the order in which they were pushed.
  virtual std::optional<Gradient> whole() = 0;

  // Starts to give a copy of the values to a client; the copy stays as it is until read() returns it. The caller sends
  // the client a `ready` with the copy's number afterwards.
  virtual void give(int client, std::size_t copy) = 0;
  // A client has said that it has gotten the values of this copy.
  virtual void gotten(int client, std::size_t copy) = 0;
  // A copy that a client has read, once for each give().
  virtual std::optional<std::size_t> read() = 0;

  // Forgets what is under way from and to a client whose process has ended. Its gradients that are whole stay in their
  // mailboxes, and MPI may still read the copies that it was given. Returns these: read() does not.
  virtual std::vector<std::size_t> forget(int client) = 0;

  // Moves on what clients have started.
  virtual void progress() = 0;
  // Returns whether something that was announced or started is not done yet.
  virtual bool moving() const = 0;
};

}  // namespace lockstep
