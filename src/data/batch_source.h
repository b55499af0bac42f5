#pragma once

#include "tensor/batch.h"

namespace lockstep {

// Where a training loop gets its batches from, one after the other. Main thread.
class BatchSource {
 public:
  BatchSource() = default;
  BatchSource(const BatchSource&) = delete;
  BatchSource& operator=(const BatchSource&) = delete;
  virtual ~BatchSource() = default;

  // The next batch in order; waits until it is there. Valid until release(). Throws what making it has thrown; after
  // the last one, an internal Error. REQUIRES: the batch before was released, unless the source says that it gives
  // several at a time; the one that was given first is released first.
  virtual const Batch& next() = 0;
  virtual void release() = 0;
  // Whether next() would give one without waiting.
  virtual bool is_ready() = 0;
};

}  // namespace lockstep
