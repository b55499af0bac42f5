#pragma once

#include "tensor/batch.h"

namespace lockstep {

// Source of a training loop's batches, in order. Main thread.
class BatchSource {
 public:
  BatchSource() = default;
  BatchSource(const BatchSource&) = delete;
  BatchSource& operator=(const BatchSource&) = delete;
  virtual ~BatchSource() = default;

  // The next batch in order; waits until it is ready. Valid until release(). Throws what making it has thrown; after
  // the last one, an internal Error. REQUIRES: the previous batch was released, unless the source says that it gives
  // several at a time; then they are released in the order given.
  virtual const Batch& next() = 0;
  virtual void release() = 0;
  // Returns whether next() would return without waiting.
  virtual bool is_ready() = 0;
};

}  // namespace lockstep
