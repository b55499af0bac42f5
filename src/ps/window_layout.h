#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace lockstep {

// Places in the part of a Window that a server offers: the copies of its values, then two mailboxes of each client, all
// of one length and at multiples of 64 bytes. Pure arithmetic.
class WindowLayout {
 public:
  // count: number of values of the server's range. dtype: PsGroup::wire_dtype.
  WindowLayout(std::int64_t count, std::int64_t copies, std::int64_t clients, DType dtype);

  std::int64_t copies() const { return copies_; }
  // Offsets in bytes.
  std::int64_t copy(std::int64_t number) const;
  std::int64_t mailbox(std::int64_t client, std::int64_t slot) const;
  // The size of all, in bytes.
  std::int64_t bytes() const { return length_ * (copies_ + 2 * clients_); }

 private:
  std::int64_t copies_;
  std::int64_t clients_;
  std::int64_t length_;  // of a copy or a mailbox, with the gap after it, in bytes
};

}  // namespace lockstep
