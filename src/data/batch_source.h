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

  // The next batch in order; waits until it is ready. Valid until release(). Rethrows what was thrown while it was
  // made; after the last batch, throws Error(internal). REQUIRES: the previous batch was released, unless the derived
  // class lets callers hold several.
  virtual const Batch& next() = 0;
  // Releases the batch that is held; of several, the one that next() returned first.
  virtual void release() = 0;
  // Returns whether next() would return without waiting.
  virtual bool is_ready() = 0;
};

}  // namespace lockstep
