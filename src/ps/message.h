#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace lockstep {

// The short messages of servers and clients. All are this one struct, so that a receiver knows the size of any.
// docs/parameter_server.md shows who sends which.
//
// A client is a rank that trains, by its number from 0; a slot is one of its two mailboxes at each server.
struct PsMessage {
  enum class Kind : std::int32_t {
    // client to the first server
    want = 1,  // asks for the next batch, and the values to compute it with. `count` 1: signal `number` has asked this
               // rank to end the run
    cut,       // the chief asks for the state of all servers after the same updates
    stop,      // the chief: no further batch is handed out
    leave,     // nothing more comes from this client
    // the chief to every server, before all else
    begin,  // `number`, `batch`: those of RangeState::begin(); the first state follows with the tag kState
    // client to every server
    pushed,   // the gradient of `batch` is in mailbox `slot`, or follows as the next message of the tag kGradient
    gotten,   // the values of a `ready` have been read
    ping,     // to be answered by `pong`, with the tag kAlive
    account,  // the chief: to be answered by `account`, with the tag kAccount
    // server to the first server
    arrived,  // the gradient in mailbox `slot` of `client` is whole. `count`, `number`: as in `want`, of the server
    // first server to every server, which obeys in this order
    deliver,  // give the values of now to `client`
    add,      // add mailbox `slot` of `client` to the sum, with `factor` and `weight`
    update,   // apply the sum as update `number`; of `count` gradients
    save,     // give the state of now to `client`
    end,      // no client is left; sent to the clients, too
    // first server to every server, which obeys at once
    lost,  // the process of `client` has ended
    // first server to a client
    asked,     // to the chief, before an `assign`: signal `number` has asked rank `slot` to end the run
    assign,    // `batch` is this client's; its values are those after `number` updates
    finished,  // there is no further batch
    state,     // the cut: after `number` updates; `batch` was never handed out. `count` batches that are unapplied
               // follow
    // server to client
    pong,
    ready,  // the values after `number` updates are in copy `slot`, or follow as the next message of the tag kValues
  };
  Kind kind{};
  std::int32_t client = 0;
  std::int32_t slot = 0;
  std::int32_t count = 0;
  std::int64_t batch = 0;
  std::int64_t number = 0;
  double factor = 0;
  double weight = 0;
  double loss = 0;
  double norm = 0;
};
static_assert(std::is_trivially_copyable_v<PsMessage>);

inline std::span<const std::byte> bytes_of(const PsMessage& message) { return std::as_bytes(std::span(&message, 1)); }
inline std::span<std::byte> bytes_of(PsMessage& message) { return std::as_writable_bytes(std::span(&message, 1)); }

// Tags of Messages. Messages of one tag from one sender arrive in order.
enum PsTag : int {
  kToServer = 10,  // short ones to a server, from clients
  kStream = 11,    // short ones from the first server to the others, and `arrived` back
  kToClient = 12,  // short ones to a client
  kGradient = 13,  // a server's part of a gradient
  kValues = 14,    // a server's part of the values
  kState = 15,     // a server's part of the first state or of a cut: values, each slot, the average
  kBatches = 16,   // the numbers of a cut's unapplied batches
  kAlive = 17,     // answers to `ping`
  kAccount = 18,   // `account`, answered: PsAccount::Server, as `number` bytes, `factor` busy of `weight` seconds
  kCounts = 19,    // of the first server besides: the numbers of PsAccount::batches, of ::lost and of ::staleness
};

}  // namespace lockstep
